import { tagOfVersion } from "../../../../domain/entity-tag.ts";
import { NewOrder, orderJson } from "../../../../domain/orders/order.ts";
import { createdResponse, idempotencyKeyOf, idempotentRequest, ofIdempotentCreation } from "../../idempotency-key.ts";
import { orderAdministration, orderAnswer } from "../order.ts";
import { operation } from "./operation.ts";

/** POST /orders */
export const placeOrder = operation({
  id: "placeOrder",
  method: "post",
  path: "/orders",
  role: "admin",
  tag: "orders",
  summary: "Order a pet",
  description:
    "Orders an available pet, which becomes pending with the order. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request orders nothing and gets the first response.",
  request: { headers: idempotentRequest("operator"), body: NewOrder },
  answers: { 201: { ...orderAnswer("The order was placed, and the pet is pending."), headers: ofIdempotentCreation } },
  refusals: ["pet_not_found", "pet_not_available", "idempotency_in_progress", "idempotency_key_reused"],
  handle:
    (services) =>
    async ({ body, headers, context }) => {
      const now = services.clock();
      const key = idempotencyKeyOf(headers, context.operator.id, now);
      const { created, isReplay } = await orderAdministration(services, context).place(body.petId, now, key);
      const { id, version } = created;
      return createdResponse(context, orderJson(created), {
        location: `/admin/v1/orders/${id}`,
        tag: tagOfVersion(version),
        isReplay,
      });
    },
});
