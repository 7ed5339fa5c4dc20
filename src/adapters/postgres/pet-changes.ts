import type { Preconditions } from "../../domain/entity-tag.ts";
import { changed } from "../../domain/pets/change.ts";
import type { PetPatch, StoredPet } from "../../domain/pets/pet.ts";
import { count } from "../sql/inventory.ts";
import type { Outcome } from "../sql/outcome.ts";
import { HOLDING, requirePet } from "../sql/pets.ts";
import type { Transaction } from "../sql/sql.ts";
import { Batches } from "./batches.ts";
import type { Database } from "./database.ts";
import { arrayOf, lockFreePets, outcomeOf, type PetsById, replacePets, unlessLocked } from "./locked-pets.ts";

type PetChange = { id: bigint; patch: PetPatch; preconditions: Preconditions | undefined };

/**
 * Changes of pets in PostgreSQL. Concurrent ones share a transaction, in which those of one pet follow each other. One
 * transaction runs at a time, so that clients who want the same pet do not wait for each other's commits.
 */
export class PetChanges {
  readonly #batches: Batches<PetChange, Outcome<StoredPet> | undefined>;

  constructor(database: Database) {
    this.#batches = new Batches((changes) => database.sharedTransaction(() => changeAll(changes)), { maxRunning: 1 });
  }

  /**
   * Returns the changed pet; undefined if another transaction has locked it.
   * @throws service_unavailable, pet_not_found, precondition_failed, pet_reserved, invalid_transition
   */
  update(change: PetChange): Promise<StoredPet | undefined> {
    return unlessLocked(() => this.#batches.add(change));
  }
}

/** Decides each change by the state that the one before has left, and writes the last state of each pet. */
function* changeAll(changes: PetChange[]): Transaction<(Outcome<StoredPet> | undefined)[]> {
  const { free: before, locked } = yield* lockFreePets(changes.map(({ id }) => id));
  const holders = yield* holdersOf(before);
  const after: PetsById = new Map(before);
  const outcomes = changes.map(({ id, patch, preconditions }) => {
    if (locked.has(Number(id))) return undefined;
    return outcomeOf(() => {
      const pet = requirePet(after.get(Number(id)), preconditions);
      const next = changed(pet, patch, holders.get(pet.id));
      after.set(pet.id, next);
      return next;
    });
  });
  const gained = yield* replacePets(before, after);
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
