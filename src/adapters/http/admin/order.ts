import { z } from "zod";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { OrderAdministration } from "../../../domain/orders/administration.ts";
import type { OrderCounts as Counts } from "../../../domain/orders/counts.ts";
import { exampleOrder, Order, orderJson, type StoredOrder } from "../../../domain/orders/order.ts";
import { etagOf } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import { count } from "./fields.ts";
import type { Services } from "./operations/operation.ts";
import { authorOf, json, type OperatorContext } from "./request-context.ts";

export const OrderCounts = z
  .strictObject({ placed: count, approved: count, delivered: count, cancelled: count } satisfies Record<
    keyof Counts,
    z.ZodType
  >)
  .meta({
    id: "OrderCounts",
    description: "How many orders of each status there are.",
    examples: [{ placed: 2, approved: 1, delivered: 40, cancelled: 3 }],
  });

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

/** Places and changes orders on behalf of the operator who sent the request. */
export function orderAdministration({ orders }: Services, context: OperatorContext): OrderAdministration {
  return new OrderAdministration(orders, authorOf(context));
}
