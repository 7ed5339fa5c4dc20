import { createHash } from "node:crypto";
import type { Authored } from "../../domain/audit.ts";
import type { Awaitable } from "../../domain/awaitable.ts";
import {
  type CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  refuseInProgress,
  requireSameRequest,
  UNKNOWN_ID,
} from "../../domain/changes.ts";
import { INT64_MIN } from "../../domain/int64.ts";
import { toJson } from "../../domain/json.ts";
import {
  DEFAULT_STATUS,
  FIRST_VERSION,
  type NewPet,
  nameKey,
  type Page,
  type Pet,
  type PetPatch,
  type PetUpdateOptions,
  petRequest,
  type StoredPet,
} from "../../domain/pets.ts";
import { creationOf, SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { anyShard, freeShard, membersOfNew, type PetRules, petOf, petRow, replayed, SqlPets } from "../sql/pets.ts";
import { EVENT_COLUMNS } from "../sql/records.ts";
import { type Statement, seekByPosition, type Transaction } from "../sql/sql.ts";
import { Batches } from "./batches.ts";
import { type ChangePet, petChanges } from "./changes.ts";
import type { Database, TextRow } from "./database.ts";
import { StableIds } from "./stable-ids.ts";

/** The statement that counts the pets of the expression `added` in the inventory. `shard` is the parameter that chooses a row. */
function countAdded(shard: string): string {
  const plus = (status: string) => `${status} = ${status} + (SELECT count(*) FROM added WHERE status = '${status}')`;
  return `UPDATE petstore.inventory SET ${plus("available")}, ${plus("pending")}, ${plus("sold")}
    WHERE shard = ${freeShard(shard)} AND EXISTS (SELECT 1 FROM added)`;
}

/** The beginning of the statement that adds an event for each created pet: the columns of its id and of the time. */
export function insertCreated(id: string, at: string): string {
  return `INSERT INTO petstore.events (${EVENT_COLUMNS})
    SELECT ${at}, 'pet.created', ${id}, replace(members, '${UNKNOWN_ID}', CAST(${id} AS text))`;
}

/** The ids are taken before the pets are inserted, so they are registered first. */
const ADD_ALL = `WITH added AS MATERIALIZED (
    SELECT nextval('petstore.pet_ids') AS id, pet.*
    FROM json_to_recordset(CAST(:pets AS json))
      AS pet (name text, category_id bigint, status text, name_key text, members text)
    WHERE (SELECT petstore.register_insertion('pets'))
  ), inserted AS (
    INSERT INTO petstore.pets (id, name, category_id, status, name_key)
    SELECT id, name, category_id, status, name_key FROM added
  ) ${insertCreated("id", "CAST(:at AS bigint)")} FROM added RETURNING resource_id AS id`;

/** Returns the statement that adds pets with their events at a time (Unix ms). Their ids ascend in the order of the pets. */
export function addAll(pets: readonly NewPet[], authored: Authored): Statement {
  const rows = pets.map((pet) => ({ ...petRow(pet), members: membersOfNew(pet, authored) }));
  return { text: ADD_ALL, values: { pets: toJson(rows), at: authored.now } };
}

type Creation = { key: IdempotencyKey; pet: NewPet; authored: Authored };

/** Each idempotency key takes a lock, and the lock table of a server has 6,400 entries by default. */
const MAX_BATCH = 100;

/**
 * Adds pets with their idempotency keys in one transaction. Skips keys that another node has locked: without the lock the
 * statement would wait for that node's commit. A replay takes no id: NOT EXISTS finds it before, and ON CONFLICT only what
 * another node has just committed. The ids are taken before the pets are inserted, so they are registered first.
 */
const ADD = `WITH requested AS (
    SELECT *, pg_try_advisory_xact_lock(lock) AS is_locked
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[],
        $10::text[])
      AS requested(lock, key_id, idempotency_key, created_at, request, name, category_id, status, name_key, members)
    WHERE (SELECT petstore.register_insertion('pets'))
  ), created AS (
    INSERT INTO petstore.idempotency_keys AS existing (key_id, idempotency_key, created_at, request, created_id)
    SELECT key_id, idempotency_key, created_at, request, nextval('petstore.pet_ids')
    FROM requested WHERE is_locked AND NOT EXISTS (
      SELECT 1 FROM petstore.idempotency_keys AS known
      WHERE known.key_id = requested.key_id AND known.idempotency_key = requested.idempotency_key
        AND known.created_at > requested.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
    )
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
      created_at = excluded.created_at, request = excluded.request, created_id = excluded.created_id,
      created_ids = NULL
    WHERE existing.created_at <= excluded.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
    RETURNING key_id, idempotency_key, created_id
  ), added AS (
    INSERT INTO petstore.pets (id, name, category_id, status, name_key)
    SELECT created_id, requested.name, requested.category_id, requested.status, name_key
    FROM created JOIN requested USING (key_id, idempotency_key) RETURNING status
  ), counted AS (${countAdded("$11")}), recorded AS (
    ${insertCreated("created_id", "created_at")} FROM created JOIN requested USING (key_id, idempotency_key)
  )
  SELECT requested.key_id, requested.idempotency_key, CASE WHEN is_locked THEN 'acquired' ELSE 'held' END AS lock,
    created_id AS id, requested.name, requested.category_id, requested.status
  FROM requested LEFT JOIN created USING (key_id, idempotency_key)`;
const FIND = `SELECT request, created_id, created_ids, created_at FROM petstore.idempotency_keys
  WHERE key_id = $1 AND idempotency_key = $2`;

/** Idempotent creations of pets in PostgreSQL. Concurrent ones share a statement and a commit. */
function idempotentCreations(database: Database, inProgress: CreationsInProgress): SqlPets["createIdempotently"] {
  /** Returns a row per creation, in order. Their idempotency keys differ, because only one per key is in progress. */
  const addAll = async (creations: Creation[]): Promise<TextRow[]> => {
    const rows = await database.query(ADD, [
      creations.map(({ key }) => lockOf(key)),
      creations.map(({ key }) => key.keyId),
      creations.map(({ key }) => key.key),
      creations.map(({ key }) => key.now),
      creations.map(({ pet }) => petRequest(pet)),
      creations.map(({ pet }) => pet.name),
      creations.map(({ pet }) => pet.categoryId),
      creations.map(({ pet }) => pet.status ?? DEFAULT_STATUS),
      creations.map(({ pet }) => nameKey(pet.name)),
      creations.map(({ pet, authored }) => membersOfNew(pet, authored)),
      anyShard(),
    ]);
    const byKey = new Map(rows.map((row) => [`${row.key_id} ${row.idempotency_key}`, row]));
    return creations.map(({ key: { keyId, key } }) => {
      const row = byKey.get(`${keyId} ${key}`);
      if (row === undefined) throw new Error("the server returned no row for an idempotency key");
      return row;
    });
  };
  const batches = new Batches(addAll, { maxSize: MAX_BATCH });
  return (pet, key, authored = { now: key.now }) =>
    inProgress.once(key, async () => {
      const row = await batches.add({ key, pet, authored });
      if (row.lock === "held") refuseInProgress();
      if (row.id !== null) return { created: petOf(row), isReplay: false };
      const [found] = await database.query(FIND, [key.keyId, key.key]);
      // If it has just been deleted, the next attempt adds the pet.
      const first = found === undefined ? refuseInProgress() : creationOf(found);
      requireSameRequest(first, petRequest(pet));
      return { created: replayed(pet, first.ids[0]), isReplay: true };
    });
}

/** The id of the lock that an idempotency key takes while its pet is added: a negative number, as no other lock has. */
function lockOf({ keyId, key }: IdempotencyKey): bigint {
  return createHash("sha256").update(`${keyId} ${key}`).digest().readBigInt64BE() | INT64_MIN;
}

type Filter = {
  /** The column of `wanted` that has the filter's value for each page, and the column's type. */
  column: string;
  type: string;
  /** The column of a pet that it compares, and how. */
  compared: string;
  condition: string;
  value: (page: Page) => string | bigint | undefined;
};

/** Those of the indexed columns are in the order of their index. */
const filters: Filter[] = [
  {
    column: "ids",
    type: "text",
    compared: "id",
    condition: "id = ANY (wanted.ids::bigint[])",
    // The text of an array: in an array of arrays each would need the same number of ids.
    value: ({ ids }) => ids && `{${ids.join(",")}}`,
  },
  {
    column: "name",
    type: "text",
    compared: "name_key",
    condition: "name_key = wanted.name",
    value: ({ name }) => (name === undefined ? undefined : nameKey(name)),
  },
  {
    column: "category",
    type: "bigint",
    compared: "category_id",
    condition: "category_id = wanted.category",
    value: ({ categoryId }) => categoryId,
  },
  {
    column: "status",
    type: "text",
    compared: "status",
    condition: "status = wanted.status",
    value: ({ status }) => status,
  },
];

/** Pages of at most so many pets share a statement. */
const FEW = 128;

/** The bounds of batches of reads: the server works on some while others are sent or received. */
const READS = { maxRunning: 4, maxSize: 64 };

/** Reads pages of pets. Concurrent pages of one order with the same filters share a statement. */
function petPages(database: Database): (page: Page) => Promise<StoredPet[]> {
  /** By the order, the largest size and the filters of their statement. */
  const known = new Map<string, Batches<Page, StoredPet[]>>();
  const readAll = async (statement: string, used: Filter[], pages: Page[]) => {
    const rows = await database.query(statement, [
      pages.map(({ after }) => after),
      pages.map(({ limit }) => limit),
      ...used.map(({ value }) => pages.map((page) => value(page) ?? null)),
    ]);
    const found: StoredPet[][] = pages.map(() => []);
    for (const row of rows) found[Number(row.number) - 1]?.push(petOf(row));
    return found;
  };
  return (page) => {
    const isDescending = page.order === "desc";
    const used = filters.filter(({ value }) => value(page) !== undefined);
    const most = 2 ** Math.ceil(Math.log2(Math.max(page.limit, FEW)));
    const kind = [isDescending, most, ...used.map(({ column }) => column)].join();
    let batches = known.get(kind);
    if (batches === undefined) {
      const statement = textOf(isDescending, used, most);
      batches = new Batches((pages) => readAll(statement, used, pages), READS);
      known.set(kind, batches);
    }
    return batches.add(page);
  };
}

/**
 * Returns the query for pages, one in each element of its parameters, numbered from 1: each begins in an index. The planner does
 * not know the values, so the order names the index. `most` is the largest size of a page, which it knows. PostgreSQL stops a scan
 * at the end of its first column alone, not of two: what follows is read up to `most`, and left out.
 */
function textOf(isDescending: boolean, used: Filter[], most: number): string {
  const columns = [{ column: "after", type: "bigint" }, { column: "size", type: "integer" }, ...used];
  const order = isDescending ? "desc" : "asc";
  const sought = soughtOf(used);
  const position = [...sought, { compared: "id", column: "after" }];
  const equal = Object.fromEntries(sought.map(({ column, compared }) => [compared, `wanted.${column}`]));
  const { where, orderBy } = seekByPosition(equal, { [isDescending ? "below" : "above"]: "wanted.after" }, order);
  const start = `(${position.map(({ compared }) => compared)}) ${isDescending ? "<" : ">"} (${position.map(({ column }) => `wanted.${column}`)})`;
  const others = used.filter((filter) => !sought.includes(filter)).map(({ condition }) => condition);
  return `SELECT number, pet.* FROM unnest(${columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(", ")})
      WITH ORDINALITY AS wanted (${columns.map(({ column }) => column).join(", ")}, number)
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT id, name, category_id, status, version FROM petstore.pets
        WHERE ${[sought.length > 1 ? start : where, ...others].join(" AND ")} ORDER BY ${orderBy} LIMIT ${most}
      ) AS most WHERE ${sought.length > 1 ? sought.map(({ condition }) => condition).join(" AND ") : "true"} LIMIT size
    ) AS pet
    ORDER BY number, id ${order}`;
}

/** The filters whose columns begin the index that a page is read from: that of names has the others behind the id. */
function soughtOf(used: Filter[]): Filter[] {
  if (used.some(({ column }) => column === "ids")) return [];
  const byName = used.filter(({ column }) => column === "name");
  return byName.length > 0 ? byName : used;
}

const COLUMNS = "id, name, category_id, status, version";

const BY_IDS = `SELECT ${COLUMNS} FROM petstore.pets WHERE id = ANY ($1::bigint[])`;
/** The ids are taken before the pets are inserted, so they are registered first. */
const INSERT = `WITH requested AS MATERIALIZED (
    SELECT nextval('petstore.pet_ids') AS id, requested.*
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[]) WITH ORDINALITY
      AS requested(name, category_id, status, name_key, at, members, number)
    WHERE (SELECT petstore.register_insertion('pets'))
  ), added AS (
    INSERT INTO petstore.pets (id, name, category_id, status, name_key)
    SELECT id, name, category_id, status, name_key FROM requested RETURNING status
  ), counted AS (${countAdded("$7")}), recorded AS (${insertCreated("id", "at")} FROM requested)
  SELECT id FROM requested ORDER BY number`;

/** Pets in PostgreSQL. Concurrent reads share a statement, and concurrent creations and changes a commit too. */
export class PostgresPets extends SqlPets {
  readonly #database: Database;
  readonly #createIdempotently: SqlPets["createIdempotently"];
  readonly #readPage: (page: Page) => Promise<StoredPet[]>;
  readonly #stableIds: StableIds;
  readonly #gets: Batches<bigint, StoredPet | undefined>;
  readonly #change: ChangePet;
  readonly #creations: Batches<{ pet: Omit<Pet, "id">; authored: Authored }, StoredPet>;

  constructor(
    database: Database,
    idempotencyKeys = new SqlIdempotencyKeys(database),
    rules: PetRules = { checksCategories: false },
  ) {
    super(database, idempotencyKeys, rules);
    this.#database = database;
    this.#createIdempotently = idempotentCreations(database, idempotencyKeys.inProgress);
    this.#readPage = petPages(database);
    this.#stableIds = new StableIds(database, "pets");
    this.#gets = new Batches((ids) => this.#getAll(ids), READS);
    this.#change = petChanges(database);
    this.#creations = new Batches((creations) => this.#insert(creations));
  }

  protected add({ name, categoryId, status = DEFAULT_STATUS }: NewPet, authored: Authored): Promise<StoredPet> {
    return this.#creations.add({ pet: { name, categoryId, status }, authored });
  }

  override createIdempotently(
    pet: NewPet,
    key: IdempotencyKey,
    options?: Authored,
  ): Promise<IdempotentCreation<StoredPet>> {
    if (this.rules.checksCategories) return super.createIdempotently(pet, key, options);
    return this.#createIdempotently(pet, key, options);
  }

  protected override *insertAll(pets: readonly NewPet[], authored: Authored): Transaction<StoredPet[]> {
    const rows = yield addAll(pets, authored);
    const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    return pets.map(({ name, categoryId, status = DEFAULT_STATUS }, i) => {
      return { id: Number(ids[i]), name, categoryId, status, version: FIRST_VERSION };
    });
  }

  override async update(id: bigint, patch: PetPatch, options: PetUpdateOptions): Promise<StoredPet> {
    const { preconditions, keepsSold = false, ...authored } = options;
    const { by } = authored;
    const needsMore = by !== undefined || keepsSold || (patch.categoryId !== undefined && this.rules.checksCategories);
    const pet = needsMore ? undefined : await this.#change({ id, patch, preconditions, authored });
    return pet ?? super.update(id, patch, options);
  }

  get(id: bigint): Promise<StoredPet | undefined> {
    return this.#gets.add(id);
  }

  page(page: Page): Promise<StoredPet[]> {
    return this.readStable(page, this.#readPage);
  }

  protected override readStable(page: Page, read: (page: Page) => Awaitable<StoredPet[]>): Promise<StoredPet[]> {
    return this.#stableIds.page(page, read);
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
  async #insert(creations: { pet: Omit<Pet, "id">; authored: Authored }[]): Promise<StoredPet[]> {
    const rows = await this.#database.query(INSERT, [
      creations.map(({ pet }) => pet.name),
      creations.map(({ pet }) => pet.categoryId),
      creations.map(({ pet }) => pet.status),
      creations.map(({ pet }) => nameKey(pet.name)),
      creations.map(({ authored }) => authored.now),
      creations.map(({ pet, authored }) => membersOfNew(pet, authored)),
      anyShard(),
    ]);
    return creations.map(({ pet }, i) => ({ ...pet, id: Number(rows[i]?.id), version: FIRST_VERSION }));
  }
}
