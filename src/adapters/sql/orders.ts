import type { Authored } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type ChangeOptions, type IdempotentCreation, requireTag, tagOfVersion } from "../../domain/changes.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import {
  advanced,
  hasExpired,
  type OrderCounts,
  OrderStatus,
  type OrderStore,
  type OrdersPage,
  type OrderUpdateOptions,
  orderJson,
  type Placement,
  type PlacementOptions,
  petAfter,
  placed,
  placementOf,
  reserved,
  type StoredOrder,
} from "../../domain/orders.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import {
  type Changes,
  count,
  countsIn,
  difference,
  lockPet,
  type PetRules,
  petUpdated,
  replacePet,
  requirePet,
  selectCounts,
} from "./pets.ts";
import { insertEvent, record } from "./records.ts";
import {
  among,
  insertRow,
  type Row,
  type Seek,
  type Sql,
  type Statement,
  seekByValues,
  type Transaction,
} from "./sql.ts";

/**
 * Returns the statement of a page of orders. The index by pet has the orders of each status in order: for those of any
 * status a page is merged from a page of each. The index by reference has what the other filters compare.
 */
export function selectOrders(
  columns: string,
  { limit, after, order = "asc", status, petId, reference, ids }: OrdersPage,
  seek: Seek,
): Statement {
  const named = ids && among(ids);
  const bounds = order === "asc" ? { above: ":after" } : { below: ":after" };
  const pageOf = (one: OrderStatus | undefined) => {
    const filters = {
      ...(petId !== undefined && { pet_id: ":petId" }),
      ...(one !== undefined && { status: `'${one}'` }),
    };
    const byReference = reference !== undefined && { reference: ":reference" };
    // A few ids are found by themselves.
    const { where, orderBy } =
      named !== undefined
        ? seekByValues({ ...filters, ...byReference }, bounds, order)
        : byReference
          ? seek(byReference, bounds, order, filters)
          : seek(filters, bounds, order);
    const conditions = [where, ...(named ? [named.text] : []), ...(byReference ? ["reference IS NOT NULL"] : [])];
    return `SELECT ${columns} FROM petstore.orders WHERE ${conditions.join(" AND ")} ORDER BY ${orderBy} LIMIT :limit`;
  };
  const merged = () => OrderStatus.options.map((one) => `SELECT * FROM (${pageOf(one)}) AS page`).join(" UNION ALL ");
  const isMerged = petId !== undefined && status === undefined && reference === undefined;
  return {
    text: isMerged ? `${merged()} ORDER BY id ${order} LIMIT :limit` : pageOf(status),
    values: {
      limit,
      after: after ?? (order === "asc" ? 0n : INT64_MAX),
      ...(petId !== undefined && { petId }),
      ...(reference !== undefined && { reference }),
      ...named?.values,
    },
  };
}

const COLUMNS = "id, pet_id, pet_name, pet_category_id, status, reference, created_at, updated_at, expires_at, version";

const BY_ID = `SELECT ${COLUMNS} FROM petstore.orders WHERE id = :id`;

/** The columns of a new order. */
export function orderRow({ petId, pet, reference, createdAt, expiresAt }: Placement) {
  return {
    pet_id: petId,
    pet_name: pet?.name ?? null,
    pet_category_id: pet?.categoryId ?? null,
    status: "placed",
    reference: reference ?? null,
    created_at: createdAt,
    updated_at: createdAt,
    expires_at: expiresAt ?? null,
  };
}

/** The rules of a store: those of its pets, and how long an order may be placed before it expires, in ms. */
export type StoreRules = PetRules & { orderExpiry?: number | undefined };

/** The orders that one transaction cancels because they have expired: few enough to not delay other writes. */
const EXPIRED_BATCH = 50;

/** The placed orders that have expired, by the index of them. */
const EXPIRED = `SELECT ${COLUMNS} FROM petstore.orders
  WHERE status = 'placed' AND expires_at IS NOT NULL AND expires_at <= :now ORDER BY expires_at, id`;

/** Orders of pets. An order and its pet change in one transaction, which locks the order first, then the pet. */
export class SqlOrders implements OrderStore {
  readonly #sql: Sql;
  readonly #idempotencyKeys: SqlIdempotencyKeys;
  protected readonly lifetime: number | undefined;

  /** `lifetime`: how long an order may be placed before it expires, in ms. */
  constructor(sql: Sql, idempotencyKeys: SqlIdempotencyKeys, lifetime?: number) {
    this.#sql = sql;
    this.#idempotencyKeys = idempotencyKeys;
    this.lifetime = lifetime;
  }

  place(petId: bigint, now: number, options: PlacementOptions = {}): Promise<IdempotentCreation<StoredOrder>> {
    const { key, reference } = options;
    return this.#idempotencyKeys.create(key, {
      request: reference === undefined ? `placeOrder ${petId}` : `placeOrder ${petId} ${reference}`,
      run: () => place(petId, { ...options, now }, this.lifetime),
      stored: BY_ID,
      replay: (_, row) => placed(orderOf(requireRow(row))),
    });
  }

  update(id: bigint, status: OrderStatus, now: number, options: OrderUpdateOptions = {}): Promise<StoredOrder> {
    return this.#sql.transaction(() => update(id, status, { ...options, now }));
  }

  expire(now: number): Awaitable<number> {
    return after(this.#sql.all(`${EXPIRED} LIMIT 1`, { now }), (some) =>
      some.length === 0 ? 0 : this.#sql.transaction(() => expire(now)),
    );
  }

  get(id: bigint): Awaitable<StoredOrder | undefined> {
    const rows = this.#sql.read(BY_ID, { id });
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

function* place(
  petId: bigint,
  options: PlacementOptions & { now: number },
  lifetime: number | undefined,
): Transaction<StoredOrder> {
  const pet = requirePet(yield* lockPet(petId));
  const pending = reserved(pet);
  yield* replacePet(pet, pending);
  yield insertEvent(petUpdated(pending, options));
  const placement = placementOf(pet, options, lifetime);
  const { text, values } = insertRow("orders", orderRow(placement));
  const [row] = yield { text: `${text} RETURNING id`, values };
  const order = placed({ id: Number(row?.id), ...placement });
  yield* record({ action: "order.place", json: orderJson, after: order }, options);
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
  if (status === "cancelled" && hasExpired(order)) return order;
  const { after, changes } = yield* advance(order, status, authored);
  yield count(...changes);
  return after;
}

/**
 * Cancels orders that have expired, but for those that another transaction has locked. Counts them together: after each it would
 * lock one row of the counts after the other, until others have to wait.
 */
function* expire(now: number): Transaction<number> {
  const rows = yield { text: `${EXPIRED} LIMIT ${EXPIRED_BATCH} FOR UPDATE SKIP LOCKED`, values: { now } };
  const all: Changes[] = [];
  for (const row of rows) all.push(...(yield* advance(orderOf(row), "cancelled", { now })).changes);
  if (rows.length > 0) yield count(...all);
  return rows.length;
}

/** Gives a locked order its next status, and changes its pet with it. Returns what the transaction counts at its end. */
function* advance(
  order: StoredOrder,
  status: OrderStatus,
  authored: Authored & { now: number },
): Transaction<{ after: StoredOrder; changes: Changes[] }> {
  const after = advanced(order, status, authored.now);
  yield {
    text: "UPDATE petstore.orders SET status = :status, updated_at = :updatedAt, version = :version WHERE id = :id",
    values: { status, updatedAt: after.updatedAt, version: after.version, id: order.id },
  };
  yield* record({ action: "order.update", json: orderJson, before: order, after }, authored);
  // The order held the pet until now, so that nobody could remove it.
  const pet = requirePet(yield* lockPet(order.petId));
  const petThen = petAfter(pet, status);
  if (petThen !== pet) {
    yield* replacePet(pet, petThen);
    yield insertEvent(petUpdated(petThen, authored));
  }
  return { after, changes: [difference(pet.status, petThen.status), difference(order.status, status)] };
}

/** Reads an order, and locks it until the transaction ends. @throws order_not_found */
function* lockOrder(id: bigint): Transaction<StoredOrder> {
  const [row] = yield { text: `${BY_ID} FOR UPDATE`, values: { id } };
  return orderOf(requireRow(row));
}

/** @throws order_not_found */
function requireRow(row: Row | undefined): Row {
  if (row === undefined) throw new PetstoreError("order_not_found");
  return row;
}

export function orderOf(row: Row): StoredOrder {
  return {
    id: Number(row.id),
    petId: Number(row.pet_id),
    pet: row.pet_name === null ? null : { name: String(row.pet_name), categoryId: BigInt(String(row.pet_category_id)) },
    status: row.status as OrderStatus,
    reference: row.reference === null ? undefined : String(row.reference),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    version: Number(row.version),
  };
}
