import type { CreationOptions } from "../../domain/change-options.ts";
import type { IdempotentCreation } from "../../domain/idempotency-key.ts";
import { placed, reserved } from "../../domain/orders/change.ts";
import type { StoredOrder } from "../../domain/orders/order.ts";
import type { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { count } from "../sql/inventory.ts";
import { SqlOrders } from "../sql/orders.ts";
import type { Outcome } from "../sql/outcome.ts";
import { requirePet } from "../sql/pets.ts";
import type { Transaction } from "../sql/sql.ts";
import { Batches } from "./batches.ts";
import type { Database } from "./database.ts";
import { lockFreePets, outcomeOf, type PetsById, replacePets, unlessLocked } from "./locked-pets.ts";

/** An order for a pet, at a time in Unix ms. */
type Placement = { petId: bigint; now: number };

/** Orders in PostgreSQL. Concurrent ones that need no idempotency key and no audit entry share a transaction. */
export class PostgresOrders extends SqlOrders {
  readonly #placements: Batches<Placement, Outcome<StoredOrder> | undefined>;

  constructor(database: Database, idempotencyKeys: SqlIdempotencyKeys) {
    super(database, idempotencyKeys);
    this.#placements = new Batches((placements) => database.sharedTransaction(() => placeAll(placements)), {
      maxRunning: 1,
    });
  }

  override async place(
    petId: bigint,
    now: number,
    options: CreationOptions<StoredOrder> = {},
  ): Promise<IdempotentCreation<StoredOrder>> {
    const needsMore = options.key !== undefined || options.entryOf !== undefined;
    const order = needsMore ? undefined : await unlessLocked(() => this.#placements.add({ petId, now }));
    return order === undefined ? super.place(petId, now, options) : { created: order, isReplay: false };
  }
}

/** Places the first order for each pet that is available, and refuses the others. */
function* placeAll(placements: Placement[]): Transaction<(Outcome<StoredOrder> | undefined)[]> {
  const { free: before, locked } = yield* lockFreePets(placements.map(({ petId }) => petId));
  const after: PetsById = new Map(before);
  const decided = placements.map(({ petId, now }) => {
    if (locked.has(Number(petId))) return undefined;
    return outcomeOf(() => {
      const pet = requirePet(after.get(Number(petId)));
      after.set(pet.id, reserved(pet));
      return { petId: pet.id, at: now };
    });
  });
  const accepted = decided.flatMap((outcome) => (outcome !== undefined && "result" in outcome ? outcome.result : []));
  const gained = yield* replacePets(before, after);
  const ids = yield* insertOrders(accepted);
  if (accepted.length > 0) yield count({ ...gained, placed: accepted.length });
  return decided.map((outcome) => {
    if (outcome === undefined || "refusal" in outcome) return outcome;
    const { petId, at } = outcome.result;
    return { result: placed(Number(ids.get(petId)), petId, at) };
  });
}

/** Adds orders, and returns their ids, by the id of the pet. */
function* insertOrders(orders: { petId: number; at: number }[]): Transaction<Map<number, number>> {
  if (orders.length === 0) return new Map();
  const rows = yield {
    text: `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at)
           SELECT "petId", 'placed', at, at
           FROM json_to_recordset(CAST(:orders AS json)) AS accepted ("petId" bigint, at bigint)
           RETURNING id, pet_id`,
    values: { orders: JSON.stringify(orders) },
  };
  return new Map(rows.map((row) => [Number(row.pet_id), Number(row.id)]));
}
