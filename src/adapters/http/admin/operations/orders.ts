import { z } from "zod";
import { tagOfVersion } from "../../../../domain/changes.ts";
import {
  type OrderCounts as Counts,
  exampleOrder,
  NewOrder,
  Order,
  OrderPatch,
  orderJson,
  type StoredOrder,
} from "../../../../domain/orders.ts";
import { createdResponse, idempotencyKeyOf, idempotentRequest, ofIdempotentCreation } from "../../idempotency-key.ts";
import { ref } from "../../openapi.ts";
import { OrderedOrdersQuery, ordersPageOf } from "../../paging.ts";
import { notFound, OrderPath } from "../../parameters.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../../responses.ts";
import { count, nextId, readPage } from "../fields.ts";
import { authorOf, json, type OperatorContext } from "../request-context.ts";
import { operation } from "./operation.ts";

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
const orderAnswer = (description: string) => ({
  description,
  schema: Order,
  example: exampleOrder,
  headers: { ETag: ref("ETag") },
});

function orderResponse(context: OperatorContext, status: number, order: StoredOrder): Response {
  return json(context, status, orderJson(order), { ETag: etagOf(tagOfVersion(order.version)) });
}

export const OrderPage = z.strictObject({ orders: z.array(Order), next: nextId }).meta({
  id: "OrderPage",
  description: "A page of orders, by id.",
  examples: [{ orders: [exampleOrder], next: null }],
});

/** GET /orders */
export const listOrders = operation({
  id: "listOrders",
  method: "get",
  path: "/orders",
  role: "viewer",
  tag: "orders",
  summary: "List orders",
  description: "Lists the orders that match all given filters, by id; with `order=desc` the newest first.",
  request: { query: OrderedOrdersQuery },
  answers: { 200: { description: "A page of orders.", schema: OrderPage } },
  handle:
    ({ orders }) =>
    async ({ query, context }) => {
      const page = ordersPageOf(query);
      const { items, next } = await readPage(page.limit, (limit) => orders.list({ ...page, limit }));
      return json(context, 200, { orders: items.map(orderJson), next });
    },
});

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
    ({ orders, clock }) =>
    async ({ body, headers, context }) => {
      const now = clock();
      const key = idempotencyKeyOf(headers, context.operator.id, now);
      const { created, isReplay } = await orders.place(body.petId, now, { by: authorOf(context), key });
      const { id, version } = created;
      return createdResponse(context, orderJson(created), {
        location: `/admin/v1/orders/${id}`,
        tag: tagOfVersion(version),
        isReplay,
      });
    },
});

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
    ({ orders, clock }) =>
    async ({ params, headers, body, context }) => {
      const options = { by: authorOf(context), preconditions: preconditionsIn(headers) };
      const order = await orders.update(params.orderId, body.status, clock(), options);
      return orderResponse(context, 200, order);
    },
});
