import type { IntegerMode } from "./int64.ts";
import type { Kind, QueryOf, Resource } from "./resource.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** Where an order stands: `placed`, `approved`, `delivered` or `cancelled`. */
export type OrderStatus = Schemas["OrderStatus"];

/** An order to place: the `petId` of an available pet. */
export type NewOrder = Schemas["NewOrder"];

/** The next `status` of an order. */
export type OrderPatch = Schemas["OrderPatch"];

/** An order of one pet. Its `id` and `petId` are like the `id` of a {@link Pet}; its times are in UTC (RFC 3339). */
export type Order<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Order"]>;

/** The orders to list: with this `status`, for this `petId`, among these `ids`, with ids above `after`; at most `limit` per page. */
export type OrderQuery = QueryOf<NonNullable<operations["listOrders"]["parameters"]["query"]>>;

/** A page of orders, by id, ascending. */
export interface OrderPage<Mode extends IntegerMode = "mixed"> {
  /** The orders on this page, possibly none. */
  readonly orders: Order<Mode>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: OrderQuery | undefined;
}

export const ORDER: Kind<Schemas["Order"]> = {
  name: "an order",
  path: "/store/orders",
  list: "listOrders",
  integers: ["id", "petId"],
};
