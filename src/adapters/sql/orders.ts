import type { Authored } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type ChangeOptions, type IdempotentCreation, requireTag, tagOfVersion } from "../../domain/changes.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import {
  advanced,
  type OrderCounts,
  OrderStatus,
  type OrderStore,
  type OrdersPage,
  type OrderUpdateOptions,
  orderJson,
  type PlacementOptions,
  petAfter,
  placed,
  reserved,
  type StoredOrder,
} from "../../domain/orders.ts";
import { record } from "./audit.ts";
import { insertEvent } from "./events.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import { count, countsIn, difference, lockPet, petUpdated, replacePet, requirePet, selectCounts } from "./pets.ts";
import { among, type Row, type Seek, type Sql, type Statement, seekByValues, type Transaction } from "./sql.ts";

/**
 * Returns the statement of a page of orders. The index by pet has the orders of each status in order: for those of any
 * status a page is merged from a page of each.
 */
export function selectOrders(
  columns: string,
  { limit, after, order = "asc", status, petId, ids }: OrdersPage,
  seek: Seek,
): Statement {
  const named = ids && among(ids);
  const bounds = order === "asc" ? { above: ":after" } : { below: ":after" };
  const pageOf = (one: OrderStatus | undefined) => {
    const equal = {
      ...(petId !== undefined && { pet_id: ":petId" }),
      ...(one !== undefined && { status: `'${one}'` }),
    };
    // A few ids are found by themselves.
    const { where, orderBy } = (named === undefined ? seek : seekByValues)(equal, bounds, order);
    const conditions = named === undefined ? where : `${where} AND ${named.text}`;
    return `SELECT ${columns} FROM petstore.orders WHERE ${conditions} ORDER BY ${orderBy} LIMIT :limit`;
  };
  const merged = () => OrderStatus.options.map((one) => `SELECT * FROM (${pageOf(one)}) AS page`).join(" UNION ALL ");
  return {
    text:
      petId !== undefined && status === undefined ? `${merged()} ORDER BY id ${order} LIMIT :limit` : pageOf(status),
    values: {
      limit,
      after: after ?? (order === "asc" ? 0n : INT64_MAX),
      ...(petId !== undefined && { petId }),
      ...named?.values,
    },
  };
}

const COLUMNS = "id, pet_id, status, created_at, updated_at, version";

/** Orders of pets. An order and its pet change in one transaction, which locks the order first, then the pet. */
export class SqlOrders implements OrderStore {
  readonly #sql: Sql;
  readonly #idempotencyKeys: SqlIdempotencyKeys;

  constructor(sql: Sql, idempotencyKeys: SqlIdempotencyKeys) {
    this.#sql = sql;
    this.#idempotencyKeys = idempotencyKeys;
  }

  place(
    petId: bigint,
    now: number,
    { key, ...authored }: PlacementOptions = {},
  ): Promise<IdempotentCreation<StoredOrder>> {
    return this.#idempotencyKeys.create(key, {
      request: `placeOrder ${petId}`,
      run: () => place(petId, { ...authored, now }),
      replay: ({ id, at }) => placed(Number(id), Number(petId), at),
    });
  }

  update(id: bigint, status: OrderStatus, now: number, options: OrderUpdateOptions = {}): Promise<StoredOrder> {
    return this.#sql.transaction(() => update(id, status, { ...options, now }));
  }

  get(id: bigint): Awaitable<StoredOrder | undefined> {
    const rows = this.#sql.read(`SELECT ${COLUMNS} FROM petstore.orders WHERE id = :id`, { id });
    return after(rows, ([row]) => row && orderOf(row));
  }

  list(page: OrdersPage): Awaitable<StoredOrder[]> {
    const { text, values } = selectOrders(COLUMNS, page, this.#sql.seek);
    return after(this.#sql.read(text, values), (rows) => rows.map(orderOf));
  }

  counts(): Awaitable<OrderCounts> {
    const statuses = OrderStatus.options;
    return after(this.#sql.read(selectCounts(statuses)), ([row]) => countsIn(row, statuses));
  }
}

function* place(petId: bigint, authored: Authored & { now: number }): Transaction<StoredOrder> {
  const { now } = authored;
  const pet = requirePet(yield* lockPet(petId));
  const pending = reserved(pet);
  yield* replacePet(pet, pending);
  yield insertEvent(petUpdated(pending, authored));
  const [row] = yield {
    text: `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at) VALUES (:petId, 'placed', :now, :now)
           RETURNING id`,
    values: { petId, now },
  };
  const order = placed(Number(row?.id), pet.id, now);
  yield* record({ action: "order.place", json: orderJson, after: order }, authored);
  yield count({ ...difference(pet.status, pending.status), ...difference(undefined, order.status) });
  return order;
}

function* update(
  id: bigint,
  status: OrderStatus,
  { preconditions, ...authored }: ChangeOptions & { now: number },
): Transaction<StoredOrder> {
  const order = yield* lockOrder(id);
  requireTag(tagOfVersion(order.version), preconditions);
  const after = advanced(order, status, authored.now);
  yield {
    text: "UPDATE petstore.orders SET status = :status, updated_at = :updatedAt, version = :version WHERE id = :id",
    values: { status, updatedAt: after.updatedAt, version: after.version, id },
  };
  yield* record({ action: "order.update", json: orderJson, before: order, after }, authored);
  // The order held the pet until now, so that nobody could remove it.
  const pet = requirePet(yield* lockPet(order.petId));
  const petThen = petAfter(pet, status);
  if (petThen !== pet) {
    yield* replacePet(pet, petThen);
    yield insertEvent(petUpdated(petThen, authored));
  }
  yield count({ ...difference(pet.status, petThen.status), ...difference(order.status, status) });
  return after;
}

/** Reads an order, and locks it until the transaction ends. @throws order_not_found */
function* lockOrder(id: bigint): Transaction<StoredOrder> {
  const [row] = yield {
    text: `SELECT ${COLUMNS} FROM petstore.orders WHERE id = :id FOR UPDATE`,
    values: { id },
  };
  if (row === undefined) throw new PetstoreError("order_not_found");
  return orderOf(row);
}

function orderOf(row: Row): StoredOrder {
  return {
    id: Number(row.id),
    petId: Number(row.pet_id),
    status: row.status as OrderStatus,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    version: Number(row.version),
  };
}
