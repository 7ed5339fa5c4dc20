import { setTimeout as pause } from "node:timers/promises";
import { countByStatus, type Inventory } from "../../domain/pets/inventory.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import type { StoredPet } from "../../domain/pets/pet.ts";
import { type Outcome, resultOf } from "../sql/outcome.ts";
import { petOf } from "../sql/pet-row.ts";
import type { Transaction } from "../sql/sql.ts";

export type PetsById = Map<number, StoredPet>;

/** How often a request for a locked pet joins a shared transaction, and the pause before it does again, in ms. */
const ATTEMPTS = 10;
const PAUSE = 15;

/**
 * Locks those pets that no other transaction has locked, until the transaction ends. It waits for none: `locked` has the
 * ids of the others.
 */
export function* lockFreePets(ids: bigint[]): Transaction<{ free: PetsById; locked: Set<number> }> {
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
export async function unlessLocked<T>(attempt: () => Promise<Outcome<T> | undefined>): Promise<T | undefined> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt();
    if (outcome !== undefined) return resultOf(outcome);
    if (attempts === ATTEMPTS) return undefined;
    await pause(PAUSE);
  }
}

/** Writes the pets that differ from what they were. Returns by how much the number of pets of each status changes. */
export function* replacePets(before: PetsById, after: PetsById): Transaction<Inventory> {
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

/** Decides a request. */
export function outcomeOf<T>(decide: () => T): Outcome<T> {
  try {
    return { result: decide() };
  } catch (refusal) {
    return { refusal };
  }
}

/** Returns the text of an array of integers. */
export function arrayOf(ids: Iterable<bigint | number>): string {
  return `{${[...ids].join(",")}}`;
}

function rowOf({ id, name, categoryId, status, version }: StoredPet) {
  return { id, name, name_key: nameKey(name), category_id: String(categoryId), status, version };
}
