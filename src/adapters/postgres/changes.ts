import { setTimeout as pause } from "node:timers/promises";
import type { Authored } from "../../domain/audit.ts";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { IdempotentCreation, NewEvent, Preconditions } from "../../domain/changes.ts";
import { newEvent } from "../../domain/changes.ts";
import { type EventsPage, FIRST_POSITION, type StoredEvent } from "../../domain/events.ts";
import { toJson } from "../../domain/json.ts";
import {
  type OrdersPage,
  orderJson,
  type Placement,
  type PlacementOptions,
  placed,
  placementOf,
  reserved,
  type StoredOrder,
} from "../../domain/orders.ts";
import { changed, countByStatus, type Inventory, nameKey, type PetPatch, type StoredPet } from "../../domain/pets.ts";
import type { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { orderRow, SqlOrders } from "../sql/orders.ts";
import { count, HOLDING, petOf, petUpdated, requirePet } from "../sql/pets.ts";
import { EVENT_COLUMNS, eventRow, LOOK_INTERVAL, SqlEvents } from "../sql/records.ts";
import { resultOf, type Transaction, type TransactionOutcome } from "../sql/sql.ts";
import { Batches } from "./batches.ts";
import type { Database } from "./database.ts";
import { StableIds } from "./stable-ids.ts";
import type { Standbys } from "./standbys.ts";

type PetsById = Map<number, StoredPet>;

/** How often a request for a locked pet joins a shared transaction, and the pause before it does again, in ms. */
const ATTEMPTS = 10;
const PAUSE = 15;

/**
 * Locks those pets that no other transaction has locked, until the transaction ends. It waits for none: `locked` has the
 * ids of the others.
 */
function* lockFreePets(ids: bigint[]): Transaction<{ free: PetsById; locked: Set<number> }> {
  const rows = yield {
    text: `WITH free AS (
             SELECT id, name, category_id, status, version FROM petstore.pets
             WHERE id = ANY (CAST(:ids AS bigint[])) FOR UPDATE SKIP LOCKED
           )
           SELECT pets.id AS found, free.* FROM petstore.pets LEFT JOIN free ON free.id = pets.id
           WHERE pets.id = ANY (CAST(:ids AS bigint[]))`,
    values: { ids: arrayOf(ids) },
  };
  const free = rows.filter(({ id }) => id !== null).map(petOf);
  const locked = rows.filter(({ id }) => id === null).map(({ found }) => Number(found));
  return { free: new Map(free.map((pet) => [pet.id, pet])), locked: new Set(locked) };
}

/**
 * Repeats a request in shared transactions while its pet is locked, which an undefined outcome says: other nodes'
 * transactions are short. Returns undefined if the pet stays locked: the request then waits in a transaction of its own.
 * @throws the refusal
 */
async function unlessLocked<T>(attempt: () => Promise<TransactionOutcome<T> | undefined>): Promise<T | undefined> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt();
    if (outcome !== undefined) return resultOf(outcome);
    if (attempts === ATTEMPTS) return undefined;
    await pause(PAUSE);
  }
}

/** Writes the pets that differ from what they were. Returns by how much the number of pets of each status changes. */
function* replacePets(before: PetsById, after: PetsById): Transaction<Inventory> {
  const replaced = [...after.values()].filter((pet) => pet !== before.get(pet.id));
  if (replaced.length > 0) {
    yield {
      text: `UPDATE petstore.pets SET name = after.name, name_key = after.name_key, category_id = after.category_id,
               status = after.status, version = after.version
             FROM json_to_recordset(CAST(:pets AS json))
               AS after (id bigint, name text, name_key text, category_id bigint, status text, version bigint)
             WHERE pets.id = after.id`,
      values: { pets: JSON.stringify(replaced.map(rowOf)) },
    };
  }
  const [was, is] = [countByStatus(before.values()), countByStatus(after.values())];
  return { available: is.available - was.available, pending: is.pending - was.pending, sold: is.sold - was.sold };
}

/** Adds events, in this order. Their subjects are locked, or new. */
function* insertEvents(events: NewEvent[]): Transaction<void> {
  if (events.length === 0) return;
  yield {
    text: `INSERT INTO petstore.events (${EVENT_COLUMNS})
           SELECT ${EVENT_COLUMNS} FROM json_to_recordset(CAST(:events AS json))
             AS event (at bigint, type text, resource_id bigint, members text)`,
    values: { events: toJson(events.map(eventRow)) },
  };
}

function outcomeOf<T>(decide: () => T): TransactionOutcome<T> {
  try {
    return { result: decide() };
  } catch (refusal) {
    return { refusal };
  }
}

/** Returns the text of an array of integers. */
function arrayOf(ids: Iterable<bigint | number>): string {
  return `{${[...ids].join(",")}}`;
}

function rowOf({ id, name, categoryId, status, version }: StoredPet) {
  return { id, name, name_key: nameKey(name), category_id: String(categoryId), status, version };
}

type PetChange = { id: bigint; patch: PetPatch; preconditions: Preconditions | undefined; authored: Authored };

/** Changes a pet, and returns it; undefined if another transaction has locked it. @throws as `PetStore.update` does */
export type ChangePet = (change: PetChange) => Promise<StoredPet | undefined>;

/**
 * Changes of pets in PostgreSQL. Concurrent ones share a transaction, in which those of one pet follow each other. One
 * transaction runs at a time, so that clients who want the same pet do not wait for each other's commits.
 */
export function petChanges(database: Database): ChangePet {
  const batches = new Batches((changes: PetChange[]) => database.sharedTransaction(() => changeAll(changes)), {
    maxRunning: 1,
  });
  return (change) => unlessLocked(() => batches.add(change));
}

/** Decides each change by the state that the one before has left, and writes the last state of each pet. */
function* changeAll(changes: PetChange[]): Transaction<(TransactionOutcome<StoredPet> | undefined)[]> {
  const { free: before, locked } = yield* lockFreePets(changes.map(({ id }) => id));
  const holders = yield* holdersOf(before);
  const after: PetsById = new Map(before);
  const events: NewEvent[] = [];
  const outcomes = changes.map(({ id, patch, preconditions, authored }) => {
    if (locked.has(Number(id))) return undefined;
    return outcomeOf(() => {
      const pet = requirePet(after.get(Number(id)), preconditions);
      const next = changed(pet, patch, holders.get(pet.id));
      after.set(pet.id, next);
      if (next !== pet) events.push(petUpdated(next, authored));
      return next;
    });
  });
  const gained = yield* replacePets(before, after);
  yield* insertEvents(events);
  if (Object.values(gained).some((number) => number !== 0)) yield count(gained);
  return outcomes;
}

/** Returns the ids of the orders that hold locked pets, by the id of the pet. */
function* holdersOf(pets: PetsById): Transaction<Map<number, number>> {
  const pending = [...pets.values()].filter(({ status }) => status === "pending").map(({ id }) => id);
  if (pending.length === 0) return new Map();
  const rows = yield {
    text: `SELECT id, pet_id FROM petstore.orders
           WHERE pet_id = ANY (CAST(:ids AS bigint[])) AND status IN (${HOLDING})`,
    values: { ids: arrayOf(pending) },
  };
  return new Map(rows.map((row) => [Number(row.pet_id), Number(row.id)]));
}

/** A request for an order of a pet. */
type PlacementRequest = { petId: bigint; options: Omit<PlacementOptions, "by" | "key"> & { now: number } };

/** Orders in PostgreSQL. Concurrent ones that need no idempotency key and no audit entry share a transaction. */
export class PostgresOrders extends SqlOrders {
  readonly #placements: Batches<PlacementRequest, TransactionOutcome<StoredOrder> | undefined>;
  readonly #stableIds: StableIds;

  constructor(database: Database, idempotencyKeys: SqlIdempotencyKeys, lifetime?: number) {
    super(database, idempotencyKeys, lifetime);
    this.#stableIds = new StableIds(database, "orders");
    this.#placements = new Batches((placements) => database.sharedTransaction(() => placeAll(placements, lifetime)), {
      maxRunning: 1,
    });
  }

  /** Those of one pet appear in the order of their ids: each takes its id while it has the pet's row locked. */
  override async list(page: OrdersPage): Promise<StoredOrder[]> {
    if (page.petId !== undefined) return super.list(page);
    return this.#stableIds.page(page, async (one) => super.list(one));
  }

  override async place(
    petId: bigint,
    now: number,
    options: PlacementOptions = {},
  ): Promise<IdempotentCreation<StoredOrder>> {
    const needsMore = options.key !== undefined || options.by !== undefined;
    const { requestId, reference } = options;
    const request = { petId, options: { requestId, reference, now } };
    const order = needsMore ? undefined : await unlessLocked(() => this.#placements.add(request));
    return order === undefined ? super.place(petId, now, options) : { created: order, isReplay: false };
  }
}

/** Places the first order for each pet that is available, and refuses the others. */
function* placeAll(
  placements: PlacementRequest[],
  lifetime: number | undefined,
): Transaction<(TransactionOutcome<StoredOrder> | undefined)[]> {
  const { free: before, locked } = yield* lockFreePets(placements.map(({ petId }) => petId));
  const after: PetsById = new Map(before);
  const events: NewEvent[] = [];
  const decided = placements.map(({ petId, options }) => {
    if (locked.has(Number(petId))) return undefined;
    return outcomeOf(() => {
      const pet = requirePet(after.get(Number(petId)));
      const pending = reserved(pet);
      after.set(pet.id, pending);
      events.push(petUpdated(pending, options));
      return placementOf(pet, options, lifetime);
    });
  });
  const accepted = decided.flatMap((outcome) => (outcome !== undefined && "result" in outcome ? outcome.result : []));
  const gained = yield* replacePets(before, after);
  const ids = yield* insertOrders(accepted);
  const outcomes = placements.map(({ options }, i): TransactionOutcome<StoredOrder> | undefined => {
    const outcome = decided[i];
    if (outcome === undefined || "refusal" in outcome) return outcome;
    const order = placed({ id: Number(ids.get(outcome.result.petId)), ...outcome.result });
    events.push(newEvent({ action: "order.place", json: orderJson, after: order }, options));
    return { result: order };
  });
  yield* insertEvents(events);
  if (accepted.length > 0) yield count({ ...gained, placed: accepted.length });
  return outcomes;
}

/** Adds orders, and returns their ids, by the id of the pet. */
function* insertOrders(orders: Placement[]): Transaction<Map<number, number>> {
  if (orders.length === 0) return new Map();
  const rows = yield {
    text: `INSERT INTO petstore.orders
             (pet_id, pet_name, pet_category_id, status, reference, created_at, updated_at, expires_at)
           SELECT * FROM json_to_recordset(CAST(:orders AS json)) AS accepted (pet_id bigint, pet_name text,
             pet_category_id bigint, status text, reference text, created_at bigint, updated_at bigint, expires_at bigint)
           RETURNING id, pet_id`,
    values: { orders: toJson(orders.map(orderRow)) },
  };
  return new Map(rows.map((row) => [Number(row.pet_id), Number(row.id)]));
}

/** For so long lists use a position that was read, in ms. */
const POSITION_LIFETIME = 1_000;
/** How often changes of other processes are looked for while somebody follows the feed, in ms: of other nodes, and of other workers. */
const FOLLOW_INTERVALS = { nodes: 250, workers: LOOK_INTERVAL };

/** The feed in PostgreSQL. An event takes its id while its subject is locked, so those of a subject are in the order of its versions. */
export class PostgresEvents extends SqlEvents {
  readonly #stableIds: StableIds;
  readonly #standbys: Pick<Standbys, "position"> | undefined;
  /** The newest event at a time (performance.now()). */
  #known = { id: FIRST_POSITION, at: -Infinity };

  /** `others`: whose changes have to be seen soonest. */
  constructor(
    database: Database,
    standbys?: Pick<Standbys, "position">,
    others: keyof typeof FOLLOW_INTERVALS = "nodes",
  ) {
    super(database, FOLLOW_INTERVALS[others]);
    this.#stableIds = new StableIds(database, "events");
    this.#standbys = standbys;
  }

  override list(page: EventsPage): Promise<StoredEvent[]> {
    return this.#stableIds.page(page, async (one) => super.list(one));
  }

  override async newest(): Promise<bigint> {
    const at = performance.now();
    const id = (await this.#stableIds.last()) || FIRST_POSITION;
    if (id >= this.#known.id) this.#known = { id, at };
    return id;
  }

  override position(): Awaitable<bigint> {
    if (this.#standbys !== undefined) return this.#standbys.position();
    return performance.now() - this.#known.at < POSITION_LIFETIME ? this.#known.id : this.newest();
  }
}
