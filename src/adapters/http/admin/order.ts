import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { exampleOrder, Order, orderJson, type StoredOrder } from "../../../domain/orders/order.ts";
import { etagOf } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import { json, type OperatorContext } from "./request-context.ts";

/** A response that has an order. */
export const orderAnswer = (description: string) => ({
  description,
  schema: Order,
  example: exampleOrder,
  headers: { ETag: ref("ETag") },
});

export function orderResponse(context: OperatorContext, status: number, order: StoredOrder): Response {
  return json(context, status, orderJson(order), { ETag: etagOf(tagOfVersion(order.version)) });
}
