import { z } from "zod";
import { exampleOrder, Order, orderJson } from "../../../../domain/orders/order.ts";
import { OrderedOrdersQuery, ordersPageOf } from "../../page-query.ts";
import { nextId } from "../fields.ts";
import { readPage } from "../page.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

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
