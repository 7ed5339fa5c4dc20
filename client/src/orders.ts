import type { Calls, Identified, PetstorePromise } from "./calls.ts";
import type { IntegerMode } from "./int64.ts";
import type { CallOptions, ChangeOptions, CreateOptions } from "./options.ts";
import {
  allOn,
  type Kind,
  type PetstoreIterator,
  pagesFrom,
  type QueryOf,
  type Resource,
  ResourceCalls,
  withToArray,
} from "./resource.ts";
import type { components, Int64, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** Where an order stands: `placed`, `approved`, `delivered` or `cancelled`. */
export type OrderStatus = Schemas["OrderStatus"];

/** An order to place: the `petId` of an available pet, and your own `reference` of it, if you like. */
export type NewOrder = Schemas["NewOrder"];

/** The next `status` of an order. */
export type OrderPatch = Schemas["OrderPatch"];

/**
 * An order of one pet. Its `id` and `petId` are like the `id` of a {@link Pet}; `pet` says what was sold, also when the pet has
 * changed or is gone; its times are in UTC (RFC 3339).
 */
export type Order<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Order"]>;

/** The orders to list: with this `status`, for this `petId`, with this `reference`, among these `ids`, with ids above `after`; at most `limit` per page. */
export type OrderQuery = QueryOf<NonNullable<operations["listOrders"]["parameters"]["query"]>>;

/** A page of orders, by id, ascending. */
export interface OrderPage<Mode extends IntegerMode = "mixed"> {
  /** The orders on this page, possibly none. */
  readonly orders: Identified<Order<Mode>>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: OrderQuery | undefined;
}

const ORDER: Kind<Schemas["Order"]> = {
  name: "an order",
  path: "/store/orders",
  list: "listOrders",
  integers: ["id", "petId"],
  nested: ["categoryId"],
};

/** The orders of pets: `petstore.orders`. */
export class Orders<Mode extends IntegerMode = "mixed"> {
  readonly #calls: ResourceCalls<components["schemas"]["Order"], Mode>;

  /** Orders are made by the client. */
  constructor(calls: Calls, mode: Mode) {
    this.#calls = new ResourceCalls(calls, ORDER, mode);
  }

  /**
   * Returns a page of orders, by id, ascending: 20 by default, all of `ids`, or `limit`.
   *
   * @example
   * const { orders, next } = await petstore.orders.list({ status: "placed" });
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is no exact integer
   */
  list(query: OrderQuery = {}, options: CallOptions = {}): PetstorePromise<OrderPage<Mode>> {
    return this.#calls.list(query, options, (orders, next) => ({ orders, next }));
  }

  /**
   * Iterates over the pages of all matching orders, of 100 each or `limit`.
   *
   * @example
   * for await (const { orders, next } of petstore.orders.pages()) await process(orders, next?.after);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  pages(query: OrderQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<OrderPage<Mode>>> {
    return withToArray(pagesFrom(query, (next) => this.list(next, options)));
  }

  /**
   * Iterates over all matching orders, by id, page by page.
   *
   * @example
   * for await (const { id, petId } of petstore.orders.all({ status: "approved" })) console.log(id, petId);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  all(query: OrderQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<Order<Mode>>> {
    return withToArray(allOn(this.pages(query, options), ({ orders }) => orders));
  }

  /**
   * Orders an available pet, which becomes pending. Of any number of buyers one gets it. Retries never place a second order.
   *
   * @example
   * const order = await petstore.orders.place({ petId: 1 });
   * @throws ConflictError `pet_not_available` when the pet is not available; NotFoundError when it does not exist
   */
  place(order: NewOrder, options: CreateOptions = {}): PetstorePromise<Order<Mode>> {
    return this.#calls.create("placeOrder", order, options);
  }

  /** Returns one order. @throws NotFoundError when it does not exist */
  get(id: Int64, options: CallOptions = {}): PetstorePromise<Order<Mode>> {
    return this.#calls.get("getOrder", id, options);
  }

  /**
   * Gives an order its next status. After a lost response, a 409 or 412 may be due to the request that was lost: if the order
   * has the status, the call returns it.
   *
   * @example
   * await petstore.orders.update(1, { status: "approved" });
   * @throws ConflictError `invalid_transition` when the status cannot follow the current one; NotFoundError when the order
   * does not exist; PreconditionError when it has another ETag than `ifMatch`
   */
  update(id: Int64, patch: OrderPatch, options: ChangeOptions = {}): PetstorePromise<Order<Mode>> {
    return this.#calls.one(() => this.#calls.changeCall("updateOrder", "PATCH", id, patch, options));
  }

  /** Approves a placed order. See {@link update}. */
  approve(id: Int64, options: ChangeOptions = {}): PetstorePromise<Order<Mode>> {
    return this.update(id, { status: "approved" }, options);
  }

  /** Delivers an approved order: its pet becomes sold. See {@link update}. */
  deliver(id: Int64, options: ChangeOptions = {}): PetstorePromise<Order<Mode>> {
    return this.update(id, { status: "delivered" }, options);
  }

  /** Cancels a placed or approved order: its pet becomes available. See {@link update}. */
  cancel(id: Int64, options: ChangeOptions = {}): PetstorePromise<Order<Mode>> {
    return this.update(id, { status: "cancelled" }, options);
  }
}
