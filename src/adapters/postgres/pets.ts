import type { IdempotencyKey, IdempotentCreation } from "../../domain/idempotency-key.ts";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, type NewPet, type Pet, type StoredPet } from "../../domain/pets/pet.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { anyShard } from "../sql/inventory.ts";
import { petOf } from "../sql/pet-row.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import { Batches } from "./batches.ts";
import { countAdded } from "./count-added.ts";
import type { Database, Statement, Value } from "./database.ts";
import { IdempotentCreations } from "./idempotent-creations.ts";

const COLUMNS = "id, name, category_id, status, version";

function select(name: string, where: string): Statement {
  return { name: `petstore_${name}`, text: `SELECT ${COLUMNS} FROM petstore.pets WHERE ${where}` };
}

const BY_ID = select("pet", "id = $1");
const INSERT: Statement = {
  name: "petstore_add_pets",
  text: `WITH added AS (
           INSERT INTO petstore.pets (name, category_id, status, name_key)
           SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) RETURNING ${COLUMNS}
         ), counted AS (${countAdded("$5")})
         SELECT ${COLUMNS} FROM added`,
};

/** Pets in PostgreSQL. Concurrent creations share a statement and a commit. */
export class PostgresPets extends SqlPets {
  readonly #database: Database;
  readonly #idempotentCreations: IdempotentCreations;
  readonly #batches: Batches<Omit<Pet, "id">, StoredPet>;

  constructor(
    database: Database,
    idempotencyKeys = new SqlIdempotencyKeys(database),
    rules: PetRules = { checksCategories: false },
  ) {
    super(database, idempotencyKeys, rules);
    this.#database = database;
    this.#idempotentCreations = new IdempotentCreations(database, idempotencyKeys.inProgress);
    this.#batches = new Batches((pets) => this.#insert(pets));
  }

  protected add({ name, categoryId, status = DEFAULT_STATUS }: NewPet): Promise<StoredPet> {
    return this.#batches.add({ name, categoryId, status });
  }

  override createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation<StoredPet>> {
    if (this.rules.checksCategories) return super.createIdempotently(pet, key);
    return this.#idempotentCreations.create(pet, key);
  }

  async get(id: bigint): Promise<StoredPet | undefined> {
    const [row] = await this.#database.query(BY_ID, [id]);
    return row && petOf(row);
  }

  async list({ limit, after, order, ids, name, categoryId, status }: Page): Promise<StoredPet[]> {
    const filters: Filter[] = [
      ...(ids === undefined ? [] : [{ name: "ids", condition: "id = ANY($::bigint[])", value: ids }]),
      ...(name === undefined ? [] : [{ name: "name", condition: "name_key = $", value: nameKey(name) }]),
      ...(categoryId === undefined ? [] : [{ name: "category", condition: "category_id = $", value: categoryId }]),
      ...(status === undefined ? [] : [{ name: "status", condition: "status = $", value: status }]),
    ];
    const values = [after, limit, ...filters.map(({ value }) => value)];
    return (await this.#database.query(pageStatement(order === "desc", filters), values)).map(petOf);
  }

  /** Writes of other nodes cannot be detected, so no result may be cached. */
  revision(): undefined {
    return undefined;
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

/** A condition of a page: `$` stands for the parameter of its value. */
type Filter = { name: string; condition: string; value: Value };

/** Returns the statement of a page, whose parameters are where it begins, its size, and the values of the filters. */
function pageStatement(isDescending: boolean, filters: Filter[]): Statement {
  const names = [isDescending ? "newest_pets" : "pets", ...filters.map(({ name }) => name)];
  const conditions = filters.map(({ condition }, i) => condition.replace("$", `$${i + 3}`));
  const where = [isDescending ? "id < $1" : "id > $1", ...conditions].join(" AND ");
  return select(names.join("_"), `${where} ORDER BY id ${isDescending ? "DESC " : ""}LIMIT $2`);
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
