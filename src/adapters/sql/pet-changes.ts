import { PetstoreError } from "../../domain/errors.ts";
import { changed, requireVersion } from "../../domain/pets/change.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import type { PetPatch, StoredPet } from "../../domain/pets/pet.ts";
import { petOf } from "./pet-row.ts";
import type { Sql, Transaction } from "./sql.ts";

/** Changes and deletions of pets. Creations and reads differ by engine. */
export class SqlPetChanges {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Implements `PetStore.update`. */
  update(id: bigint, patch: PetPatch, versions?: readonly number[]): Promise<StoredPet> {
    return this.#sql.transaction(() => update(id, patch, versions));
  }

  /** Implements `PetStore.delete`. */
  delete(id: bigint, versions?: readonly number[]): Promise<void> {
    return this.#sql.transaction(() => remove(id, versions));
  }
}

function* update(id: bigint, patch: PetPatch, versions?: readonly number[]): Transaction<StoredPet> {
  const pet = yield* locked(id, versions);
  const after = changed(pet, patch);
  if (after === pet) return pet;
  const { name, categoryId, status, version } = after;
  yield {
    text: `UPDATE petstore.pets SET name = :name, name_key = :key, category_id = :categoryId, status = :status, version = :version
           WHERE id = :id`,
    values: { name, key: nameKey(name), categoryId, status, version, id },
  };
  return after;
}

function* remove(id: bigint, versions?: readonly number[]): Transaction<void> {
  yield* locked(id, versions);
  yield { text: "DELETE FROM petstore.pets WHERE id = :id", values: { id } };
}

/** Locks a pet until the transaction ends. @throws pet_not_found, precondition_failed */
function* locked(id: bigint, versions?: readonly number[]): Transaction<StoredPet> {
  const [row] = yield {
    text: "SELECT id, name, category_id, status, version FROM petstore.pets WHERE id = :id FOR UPDATE",
    values: { id },
  };
  if (row === undefined) throw new PetstoreError("pet_not_found");
  const pet = petOf(row);
  requireVersion(pet.version, versions);
  return pet;
}
