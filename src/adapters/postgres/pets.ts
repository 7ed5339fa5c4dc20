import type { IdempotencyKey, IdempotentCreation } from "../../domain/idempotency-key.ts";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, type NewPet, type Pet, type PetPatch, type StoredPet } from "../../domain/pets/pet.ts";
import type { PetUpdateOptions } from "../../domain/pets/store.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { anyShard } from "../sql/inventory.ts";
import { petOf } from "../sql/pet-row.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import { Batches } from "./batches.ts";
import { countAdded } from "./count-added.ts";
import type { Database, Statement } from "./database.ts";
import { IdempotentCreations } from "./idempotent-creations.ts";
import { PetChanges } from "./pet-changes.ts";
import { PetPages, READS } from "./pet-pages.ts";

const COLUMNS = "id, name, category_id, status, version";

const BY_IDS: Statement = {
  name: "petstore_pets_by_id",
  text: `SELECT ${COLUMNS} FROM petstore.pets WHERE id = ANY ($1::bigint[])`,
};
const INSERT: Statement = {
  name: "petstore_add_pets",
  text: `WITH added AS (
           INSERT INTO petstore.pets (name, category_id, status, name_key)
           SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) RETURNING ${COLUMNS}
         ), counted AS (${countAdded("$5")})
         SELECT ${COLUMNS} FROM added`,
};

/** Pets in PostgreSQL. Concurrent reads share a statement, and concurrent creations and changes a commit too. */
export class PostgresPets extends SqlPets {
  readonly #database: Database;
  readonly #idempotentCreations: IdempotentCreations;
  readonly #pages: PetPages;
  readonly #gets: Batches<bigint, StoredPet | undefined>;
  readonly #changes: PetChanges;
  readonly #creations: Batches<Omit<Pet, "id">, StoredPet>;

  constructor(
    database: Database,
    idempotencyKeys = new SqlIdempotencyKeys(database),
    rules: PetRules = { checksCategories: false },
  ) {
    super(database, idempotencyKeys, rules);
    this.#database = database;
    this.#idempotentCreations = new IdempotentCreations(database, idempotencyKeys.inProgress);
    this.#pages = new PetPages(database);
    this.#gets = new Batches((ids) => this.#getAll(ids), READS);
    this.#changes = new PetChanges(database);
    this.#creations = new Batches((pets) => this.#insert(pets));
  }

  protected add({ name, categoryId, status = DEFAULT_STATUS }: NewPet): Promise<StoredPet> {
    return this.#creations.add({ name, categoryId, status });
  }

  override createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation<StoredPet>> {
    if (this.rules.checksCategories) return super.createIdempotently(pet, key);
    return this.#idempotentCreations.create(pet, key);
  }

  override async update(id: bigint, patch: PetPatch, options: PetUpdateOptions = {}): Promise<StoredPet> {
    const { preconditions, entryOf, keepsSold = false } = options;
    const needsMore =
      entryOf !== undefined || keepsSold || (patch.categoryId !== undefined && this.rules.checksCategories);
    const pet = needsMore ? undefined : await this.#changes.update({ id, patch, preconditions });
    return pet ?? super.update(id, patch, options);
  }

  get(id: bigint): Promise<StoredPet | undefined> {
    return this.#gets.add(id);
  }

  list(page: Page): Promise<StoredPet[]> {
    return this.#pages.read(page);
  }

  /** Writes of other nodes cannot be detected, so no result may be cached. */
  revision(): undefined {
    return undefined;
  }

  /** Returns the pets with these ids, in the same order. */
  async #getAll(ids: bigint[]): Promise<(StoredPet | undefined)[]> {
    const rows = await this.#database.query(BY_IDS, [ids]);
    const byId = new Map(rows.map((row) => [BigInt(String(row.id)), petOf(row)]));
    return ids.map((id) => byId.get(id));
  }

  /** Adds all pets or none. Returns them with their ids, in the same order. */
  async #insert(pets: Omit<Pet, "id">[]): Promise<StoredPet[]> {
    const rows = await this.#database.query(INSERT, [
      pets.map(({ name }) => name),
      pets.map(({ categoryId }) => categoryId),
      pets.map(({ status }) => status),
      pets.map(({ name }) => nameKey(name)),
      anyShard(),
    ]);
    return inOrderOf(pets, rows.map(petOf));
  }
}

/** Engines add rows in any order: matches each requested pet with an equal added one. */
function inOrderOf(requested: Omit<Pet, "id">[], added: StoredPet[]): StoredPet[] {
  const textOf = ({ name, categoryId, status }: Omit<Pet, "id">) => `${status} ${categoryId} ${name}`;
  const byText = Map.groupBy(
    added.toSorted((a, b) => b.id - a.id),
    textOf,
  );
  return requested.map((pet) => {
    const same = byText.get(textOf(pet))?.pop();
    if (same === undefined) throw new Error("the server added another pet than the requested one");
    return same;
  });
}
