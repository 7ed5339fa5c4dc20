import { OrderPatch } from "../../../../domain/orders/order.ts";
import { ConditionalChange, preconditionsIn } from "../../conditional.ts";
import { OrderPath } from "../../path-ids.ts";
import { orderAdministration, orderAnswer, orderResponse } from "../order.ts";
import { operation } from "./operation.ts";

/** PATCH /orders/{orderId} */
export const updateOrder = operation({
  id: "updateOrder",
  method: "patch",
  path: "/orders/{orderId}",
  role: "admin",
  tag: "orders",
  summary: "Approve, deliver or cancel an order",
  description:
    "Gives an order its next status. A placed order can be approved, an approved one delivered, and both can be cancelled. A delivered order makes its pet sold, a cancelled one available.",
  request: {
    params: OrderPath,
    headers: ConditionalChange,
    body: OrderPatch,
    types: ["application/merge-patch+json", "application/json"],
  },
  answers: { 200: orderAnswer("The order after the change.") },
  refusals: ["order_not_found", "precondition_failed", "invalid_transition"],
  handle:
    (services) =>
    async ({ params, headers, body, context }) => {
      const administration = orderAdministration(services, context);
      const order = await administration.update(
        params.orderId,
        body.status,
        services.clock(),
        preconditionsIn(headers),
      );
      return orderResponse(context, 200, order);
    },
});
