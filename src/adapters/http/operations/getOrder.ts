import { after } from "../../../domain/awaitable.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { exampleOrder, Order, orderJson } from "../../../domain/orders/order.ts";
import { etagOf } from "../conditional.ts";
import { notFound, OrderPath } from "../path-ids.ts";
import { operation } from "./operation.ts";

/** GET /store/orders/{orderId}. Source: docs/orders.md. */
export const getOrder = operation({
  id: "getOrder",
  method: "get",
  path: "/store/orders/{orderId}",
  scope: "orders:read",
  tag: "orders",
  summary: "Get one order",
  description: "Returns the order with this id. Orders are never removed.",
  additionTo: "1.0.0",
  request: { params: OrderPath },
  answers: { 200: { description: "The order.", schema: Order, example: exampleOrder } },
  refusals: ["order_not_found"],
  read:
    ({ orders }) =>
    ({ params }) =>
      after(orders.get(params.orderId), (found) => {
        const order = found ?? notFound("order_not_found");
        return { body: JSON.stringify(orderJson(order)), etag: etagOf(tagOfVersion(order.version)) };
      }),
});
