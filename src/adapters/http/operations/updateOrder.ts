import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { exampleOrder, Order, OrderPatch, orderJson } from "../../../domain/orders/order.ts";
import { PATCH_TYPES } from "../body.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../conditional.ts";
import { ofChange } from "../document-headers.ts";
import { OrderPath } from "../path-ids.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** PATCH /store/orders/{orderId}. Source: docs/orders.md. */
export const updateOrder = operation({
  id: "updateOrder",
  method: "patch",
  path: "/store/orders/{orderId}",
  scope: "orders:write",
  tag: "orders",
  summary: "Approve, deliver or cancel an order",
  description:
    "Gives an order its next status: a placed order can become approved, an approved one delivered, and both cancelled. The pet changes with it: it is sold when its order is delivered, and available when it is cancelled.",
  additionTo: "1.0.0",
  request: { params: OrderPath, headers: ConditionalChange, body: OrderPatch, types: PATCH_TYPES },
  answers: {
    200: {
      description: "The order after the change.",
      schema: Order,
      example: { ...exampleOrder, status: "approved", updatedAt: "2026-12-02T10:05:00.000Z" },
      headers: ofChange,
    },
  },
  refusals: ["order_not_found", "precondition_failed", "invalid_transition"],
  handle:
    ({ orders, clock }) =>
    async ({ params, headers, body, context }) => {
      const order = await orders.update(params.orderId, body.status, clock(), {
        preconditions: preconditionsIn(headers),
      });
      return json(context, 200, orderJson(order), { ETag: etagOf(tagOfVersion(order.version)) });
    },
});
