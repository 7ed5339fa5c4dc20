import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { ChangeOptions } from "../../domain/change-options.ts";
import { requireTag, tagOfVersion } from "../../domain/entity-tag.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { IdempotencyKey, IdempotentCreation } from "../../domain/idempotency-key.ts";
import { advanced, petAfter, placed, reserved } from "../../domain/orders/change.ts";
import { type OrderStatus, orderRequest, type StoredOrder } from "../../domain/orders/order.ts";
import type { OrderStore, OrdersPage } from "../../domain/orders/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import { countChange } from "./inventory.ts";
import { among, pageQuery } from "./page-query.ts";
import { lockPet, replacePet, requirePet } from "./pets.ts";
import type { Row, Sql, Transaction } from "./sql.ts";

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
    { key }: { key?: IdempotencyKey | undefined } = {},
  ): Promise<IdempotentCreation<StoredOrder>> {
    return this.#idempotencyKeys.create(key, {
      request: orderRequest(petId),
      run: () => place(petId, now),
      replay: ({ id, at }) => placed(Number(id), Number(petId), at),
    });
  }

  update(id: bigint, status: OrderStatus, now: number, options: ChangeOptions<StoredOrder> = {}): Promise<StoredOrder> {
    return this.#sql.transaction(() => update(id, status, now, options));
  }

  get(id: bigint): Awaitable<StoredOrder | undefined> {
    const rows = this.#sql.read(`SELECT ${COLUMNS} FROM petstore.orders WHERE id = :id`, { id });
    return after(rows, ([row]) => row && orderOf(row));
  }

  list({ limit, after: last = 0n, status, petId, ids }: OrdersPage): Awaitable<StoredOrder[]> {
    // A function in place of the column keeps engines from choosing the index by status, which finds more orders.
    const statusColumn = petId === undefined ? "status" : "coalesce(status, '')";
    const { text, values } = pageQuery(`SELECT ${COLUMNS} FROM petstore.orders`, limit, [
      { text: "id > :after", values: { after: last } },
      ...(status === undefined ? [] : [{ text: `${statusColumn} = :status`, values: { status } }]),
      ...(petId === undefined ? [] : [{ text: "pet_id = :petId", values: { petId } }]),
      ...(ids === undefined ? [] : [among(ids)]),
    ]);
    return after(this.#sql.read(text, values), (rows) => rows.map(orderOf));
  }
}

function* place(petId: bigint, now: number): Transaction<StoredOrder> {
  const pet = requirePet(yield* lockPet(petId));
  const pending = reserved(pet);
  yield* replacePet(pet, pending);
  const [row] = yield {
    text: `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at) VALUES (:petId, 'placed', :now, :now)
           RETURNING id`,
    values: { petId, now },
  };
  const order = placed(Number(row?.id), pet.id, now);
  yield countChange(pet.status, pending.status);
  return order;
}

function* update(
  id: bigint,
  status: OrderStatus,
  now: number,
  { tags, entryOf }: ChangeOptions<StoredOrder>,
): Transaction<StoredOrder> {
  const order = yield* lockOrder(id);
  requireTag(tagOfVersion(order.version), tags);
  const after = advanced(order, status, now);
  yield {
    text: "UPDATE petstore.orders SET status = :status, updated_at = :updatedAt, version = :version WHERE id = :id",
    values: { status, updatedAt: after.updatedAt, version: after.version, id },
  };
  if (entryOf !== undefined) yield insertEntry(entryOf(order, after));
  // The order held the pet until now, so that nobody could remove it.
  const pet = requirePet(yield* lockPet(order.petId));
  const petThen = petAfter(pet, status);
  if (petThen !== pet) {
    yield* replacePet(pet, petThen);
    yield countChange(pet.status, petThen.status);
  }
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
