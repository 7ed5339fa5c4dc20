import { after } from "../../../domain/awaitable.ts";
import { tagOfVersion } from "../../../domain/changes.ts";
import { exampleOrder, NewOrder, Order, OrderPatch, Orders, orderJson } from "../../../domain/orders.ts";
import { exampleInventory, Inventory } from "../../../domain/pets.ts";
import { ofChange, ofPage } from "../openapi-headers.ts";
import { callerOf, operation, operationWithDoors } from "../operation.ts";
import { pageReader } from "../pages.ts";
import { OrdersQuery, withLimit } from "../paging.ts";
import {
  createdResponse,
  IdempotentRequest,
  idempotencyKeyOf,
  idempotentRequest,
  notFound,
  OrderPath,
  ofIdempotentCreation,
} from "../parameters.ts";
import { json, PATCH_TYPES } from "../request.ts";
import { ConditionalChange, etagOf, preconditionsIn, tagOfText } from "../responses.ts";

/** GET /store/orders. Source: docs/orders.md. */
export const listOrders = operation({
  id: "listOrders",
  route: "GET /store/orders",
  scope: "orders:read",
  summary: "List orders",
  description: 'Returns a page of orders, by id, ascending. The `Link` with `rel="next"` leads to the next page.',
  request: { query: OrdersQuery },
  answers: {
    200: { description: "A page of orders, possibly empty.", schema: Orders, example: [exampleOrder], headers: ofPage },
  },
  read: (services) =>
    pageReader(services, { path: "/store/orders", pageOf: withLimit, store: services.orders, jsonOf: orderJson }),
});

/** PATCH /store/orders/{orderId}. Source: docs/orders.md. */
export const updateOrder = operationWithDoors({
  id: "updateOrder",
  route: "PATCH /store/orders/{orderId}",
  scope: "orders:write",
  role: "admin",
  summary: "Approve, deliver or cancel an order",
  description:
    "Gives an order its next status: a placed order can become approved, an approved one delivered, and both cancelled. The pet changes with it: it is sold when its order is delivered, and available when it is cancelled.",
  forOperators: {
    path: "/orders/{orderId}",
    description:
      "Gives an order its next status. A placed order can be approved, an approved one delivered, and both can be cancelled. A delivered order makes its pet sold, a cancelled one available.",
  },
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
  handle: async ({ orders, clock }, { params, headers, body, context }) => {
    const options = { ...callerOf(context).author, preconditions: preconditionsIn(headers) };
    const order = await orders.update(params.orderId, body.status, clock(), options);
    return json(context, 200, orderJson(order), { ETag: etagOf(tagOfVersion(order.version)) });
  },
});

/** GET /store/inventory. Source: docs/orders.md, Inventory. */
export const getInventory = operation({
  id: "getInventory",
  route: "GET /store/inventory",
  scope: "pets:read",
  summary: "Count pets by status",
  description: "Returns how many pets of each status there are, exactly.",
  answers: { 200: { description: "The counts.", schema: Inventory, example: exampleInventory } },
  read:
    ({ pets }) =>
    () =>
      after(pets.inventory(), (inventory) => {
        const body = JSON.stringify(inventory);
        return { body, etag: etagOf(tagOfText(body)) };
      }),
});

/** POST /store/orders. Source: docs/orders.md. */
export const placeOrder = operationWithDoors({
  id: "placeOrder",
  route: "POST /store/orders",
  scope: "orders:write",
  role: "admin",
  summary: "Order a pet",
  description:
    "Orders an available pet, which becomes pending with the order. Of several clients that order the same pet, exactly one gets it. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request orders nothing and gets the first response.",
  forOperators: {
    path: "/orders",
    description:
      "Orders an available pet, which becomes pending with the order. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request orders nothing and gets the first response.",
    request: { headers: idempotentRequest("operator"), body: NewOrder },
  },
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
  handle: async ({ orders, clock }, { body, headers, context }) => {
    const now = clock();
    const { id: callerId, author } = callerOf(context);
    const key = idempotencyKeyOf(headers, callerId, now);
    const { created, isReplay } = await orders.place(body.petId, now, { ...author, key, reference: body.reference });
    const { id, version } = created;
    return createdResponse(context, orderJson(created), {
      location: `${context.path}/${id}`,
      tag: tagOfVersion(version),
      isReplay,
    });
  },
});

/** GET /store/orders/{orderId}. Source: docs/orders.md. */
export const getOrder = operationWithDoors({
  id: "getOrder",
  route: "GET /store/orders/{orderId}",
  scope: "orders:read",
  role: "viewer",
  summary: "Get one order",
  description: "Returns the order with this id. Orders outlive their pets.",
  forOperators: {
    path: "/orders/{orderId}",
    summary: "Get an order",
    description: "Returns an order with its ETag.",
  },
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
