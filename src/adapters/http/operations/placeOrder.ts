import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { exampleOrder, NewOrder, Order, orderJson } from "../../../domain/orders/order.ts";
import { createdResponse, IdempotentRequest, idempotencyKeyOf, ofIdempotentCreation } from "../idempotency-key.ts";
import { operation } from "./operation.ts";

/** POST /store/orders. Source: docs/orders.md. */
export const placeOrder = operation({
  id: "placeOrder",
  method: "post",
  path: "/store/orders",
  scope: "orders:write",
  tag: "orders",
  summary: "Order a pet",
  description:
    "Orders an available pet, which becomes pending with the order. Of several clients that order the same pet, exactly one gets it. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request orders nothing and gets the first response.",
  additionTo: "1.0.0",
  request: { headers: IdempotentRequest, body: NewOrder },
  answers: {
    201: {
      description: "The order was placed, and the pet is pending.",
      schema: Order,
      example: exampleOrder,
      headers: ofIdempotentCreation,
    },
  },
  refusals: ["pet_not_found", "pet_not_available", "idempotency_in_progress", "idempotency_key_reused"],
  handle:
    ({ orders, clock }) =>
    async ({ body, headers, context }) => {
      const now = clock();
      const key = idempotencyKeyOf(headers, context.key.id, now);
      const { created, isReplay } = await orders.place(body.petId, now, { key });
      const { id, version } = created;
      return createdResponse(context, orderJson(created), {
        location: `/v1/store/orders/${id}`,
        tag: tagOfVersion(version),
        isReplay,
      });
    },
});
