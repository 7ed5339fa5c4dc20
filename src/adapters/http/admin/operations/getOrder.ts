import { notFound, OrderPath } from "../../path-ids.ts";
import { orderAnswer, orderResponse } from "../order.ts";
import { operation } from "./operation.ts";

/** GET /orders/{orderId} */
export const getOrder = operation({
  id: "getOrder",
  method: "get",
  path: "/orders/{orderId}",
  role: "viewer",
  tag: "orders",
  summary: "Get an order",
  description: "Returns an order with its ETag.",
  request: { params: OrderPath },
  answers: { 200: orderAnswer("The order.") },
  refusals: ["order_not_found"],
  handle:
    ({ orders }) =>
    async ({ params, context }) =>
      orderResponse(context, 200, (await orders.get(params.orderId)) ?? notFound("order_not_found")),
});
