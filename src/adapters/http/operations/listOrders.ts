import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { exampleOrder, Orders, orderJson } from "../../../domain/orders/order.ts";
import { ofPage } from "../document-headers.ts";
import { OrdersQuery, ordersPageOf } from "../page-query.ts";
import { pageReader } from "../page-reader.ts";
import { operation } from "./operation.ts";

/** GET /store/orders. Source: docs/orders.md. */
export const listOrders = operation({
  id: "listOrders",
  method: "get",
  path: "/store/orders",
  scope: "orders:read",
  tag: "orders",
  summary: "List orders",
  description: 'Returns a page of orders, by id, ascending. The `Link` with `rel="next"` leads to the next page.',
  additionTo: "1.0.0",
  request: { query: OrdersQuery },
  answers: {
    200: { description: "A page of orders, possibly empty.", schema: Orders, example: [exampleOrder], headers: ofPage },
  },
  read: ({ orders, pets, pages, baseUrl }) =>
    pageReader({
      url: `${baseUrl}/store/orders`,
      pageOf: ordersPageOf,
      read: (page) => orders.list(page),
      jsonOf: orderJson,
      tagOf: ({ version }) => tagOfVersion(version),
      // It changes with any write to the store that both share.
      revision: () => pets.revision(),
      cache: pages,
    }),
});
