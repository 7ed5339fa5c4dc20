import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Authored } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { unknownCategory } from "../../domain/categories.ts";
import {
  type ChangeOptions,
  type CreationOptions,
  type IdempotencyKey,
  type IdempotentCreation,
  membersOfCreation,
  type NewEvent,
  newEvent,
  type Preconditions,
  requireTag,
  tagOfVersion,
} from "../../domain/changes.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { holding, type OrderStatus } from "../../domain/orders.ts";
import {
  type Beginning,
  beginningOf,
  COUNT_TIME,
  changed,
  countByStatus,
  DEFAULT_STATUS,
  FIRST_VERSION,
  type Inventory,
  type NewPet,
  nameKey,
  type Page,
  type PetFilters,
  type PetList,
  type PetPatch,
  PetStatus,
  type PetStore,
  type PetUpdateOptions,
  petJson,
  petRequest,
  petsRequest,
  readNameFilter,
  requireNotReserved,
  SNAPSHOT_PAGE,
  type StoredPet,
  takesBack,
} from "../../domain/pets.ts";
import { categoryExists, selectCategories } from "./categories.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import { record } from "./records.ts";
import { among, type Row, type Seek, type Sql, type Transaction, type Values, type Write } from "./sql.ts";

/**
 * The rows among which the counts of pets and orders are divided. A transaction changes one of them, so that on PostgreSQL
 * concurrent ones seldom wait for each other. The count of a status is their sum.
 */
const SHARDS = 16;

export function selectCounts(statuses: readonly string[]): string {
  return `SELECT ${statuses.map((status) => `sum(${status}) AS ${status}`).join(", ")} FROM petstore.inventory`;
}

export function countsIn<Status extends string>(row: Row | undefined, statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, Number(row?.[status] ?? 0)])) as Record<Status, number>;
}

/** What a transaction adds to the number of pets or orders of a status. */
export type Changes = Partial<Record<PetStatus | OrderStatus, number>>;

/** Returns the statement that counts changes, for the end of their transaction: it locks a row that others need too. */
export function count(...changes: Changes[]): Write {
  const added: Record<string, number> = {};
  for (const [status, number] of changes.flatMap(Object.entries<number>)) added[status] = (added[status] ?? 0) + number;
  const sums = Object.keys(added).map((status) => `${status} = ${status} + :${status}`);
  return {
    text: `UPDATE petstore.inventory SET ${sums.join(", ")} WHERE shard = ${freeShard(":shard")}`,
    values: { ...added, shard: anyShard() },
  };
}

/** What a change of status adds: from nothing for what is new, to nothing for what is removed. */
export function difference<Status extends PetStatus | OrderStatus>(
  before: Status | undefined,
  after: Status | undefined,
): Changes {
  if (before === after) return {};
  return { ...(before !== undefined && { [before]: -1 }), ...(after !== undefined && { [after]: 1 }) };
}

/** Returns the expression of this shard, or of another one while a transaction has locked it: it waits only if all are locked. */
export function freeShard(shard: string): string {
  const free = (conditions: string) => `(SELECT shard FROM petstore.inventory ${conditions} FOR UPDATE SKIP LOCKED)`;
  return `coalesce(${free(`WHERE shard = ${shard}`)}, ${free("ORDER BY shard LIMIT 1")}, ${shard})`;
}

export function anyShard(): number {
  return Math.floor(Math.random() * SHARDS);
}

/** Only this service writes the tables, and no column is NULL. A stored creation has no column for the version. */
export function petOf(row: Row): StoredPet {
  return {
    id: Number(row.id),
    name: String(row.name),
    categoryId: BigInt(String(row.category_id)),
    status: row.status as PetStatus,
    version: Number(row.version ?? FIRST_VERSION),
  };
}

/** The columns of a new pet. */
export function petRow({ name, categoryId, status = DEFAULT_STATUS }: NewPet) {
  return { name, category_id: categoryId, status, name_key: nameKey(name) };
}

/** The pets that a count, or a page of a beginning of names, reads at most: on a slow machine they take some milliseconds. */
const MOST_READ = 10_000;
/** How long may be counted, in ms, before a page is searched instead: a request has a second for a statement. */
const DECISION_TIME = 500;

/** The statuses of an order that holds its pet, as PostgreSQL's unique index on them writes them. */
export const HOLDING = holding.map((status) => `'${status}'`).join(", ");

/** Which pets a store accepts. With `checksCategories` a pet can only get a category that exists. */
export type PetRules = { checksCategories: boolean };

/** Pets. Each engine implements reads, which are hot, and ordinary creations in its fastest way. */
export abstract class SqlPets implements PetStore {
  readonly #sql: Sql;
  protected readonly idempotencyKeys: SqlIdempotencyKeys;
  protected readonly rules: PetRules;

  constructor(sql: Sql, idempotencyKeys: SqlIdempotencyKeys, rules: PetRules) {
    this.#sql = sql;
    this.idempotencyKeys = idempotencyKeys;
    this.rules = rules;
  }

  abstract get(id: bigint): Awaitable<StoredPet | undefined>;
  abstract revision(): number | undefined;

  /** Returns a page whose name, if it has one, is that of its pets. */
  abstract page(page: Page): Awaitable<StoredPet[]>;

  /** Adds a pet of any category, without an audit entry. */
  protected abstract add(pet: NewPet, authored: Authored): Promise<StoredPet>;

  create(pet: NewPet, options: Authored): Promise<StoredPet> {
    if (options.by === undefined && !this.rules.checksCategories) return this.add(pet, options);
    return this.#sql.transaction(() => create(pet, this.rules, options));
  }

  createIdempotently(
    pet: NewPet,
    key: IdempotencyKey,
    options: Authored = { now: key.now },
  ): Promise<IdempotentCreation<StoredPet>> {
    return this.idempotencyKeys.create(key, {
      request: petRequest(pet),
      run: () => create(pet, this.rules, options),
      replay: ({ ids }) => replayed(pet, ids[0]),
    });
  }

  createAll(pets: readonly NewPet[], { key, ...authored }: CreationOptions): Promise<IdempotentCreation<StoredPet[]>> {
    return this.idempotencyKeys.create(key, {
      request: petsRequest(pets),
      run: () => this.#createAll(pets, authored),
      replay: ({ ids }) => pets.map((pet, i) => replayed(pet, ids[i])),
    });
  }

  *#createAll(pets: readonly NewPet[], authored: Authored): Transaction<StoredPet[]> {
    if (this.rules.checksCategories) yield* requireCategories(pets);
    const added = yield* this.insertAll(pets, authored);
    yield count(countByStatus(added));
    return added;
  }

  /** Adds pets, with what is recorded of them, and returns them in the same order. */
  protected *insertAll(pets: readonly NewPet[], authored: Authored): Transaction<StoredPet[]> {
    const added: StoredPet[] = [];
    for (const pet of pets) added.push(yield* insert(pet, authored));
    return added;
  }

  update(id: bigint, patch: PetPatch, options: PetUpdateOptions): Promise<StoredPet> {
    return this.#sql.transaction(() => update(id, patch, this.rules, options));
  }

  delete(id: bigint, options: ChangeOptions): Promise<void> {
    return this.#sql.transaction(() => remove(id, options));
  }

  list(page: Page): Awaitable<PetList> {
    if (!page.name?.endsWith("*")) return this.page(page);
    const { beginning, ...plain } = withoutPattern(page);
    return beginning === undefined ? this.page(plain) : this.#listBeginning(plain, beginning);
  }

  /** Reads a page that may show no id while a smaller one may still appear. */
  protected readStable(page: Page, read: (page: Page) => Awaitable<StoredPet[]>): Awaitable<StoredPet[]> {
    return read(page);
  }

  /** The index of names does not have those of a beginning in the order of ids: a few are sorted, among many the page is searched. */
  async #listBeginning(page: Page, beginning: Beginning): Promise<PetList> {
    const areFew = page.ids === undefined && (await this.#count({ beginning }, DECISION_TIME)) !== undefined;
    if (!areFew) return this.#search(page, beginning);
    return this.readStable(page, async (page) => (await this.#sql.read(...beginningQuery(page, beginning))).map(petOf));
  }

  /** Reads the pages of all other filters until the names of so many of them match, or so many pets were read. */
  async #search(page: Page, { matches }: Beginning): Promise<PetList> {
    const found: StoredPet[] = [];
    let { after } = page;
    for (let read = 0; read < MOST_READ; read += SNAPSHOT_PAGE) {
      // Reads of SQLite do not wait: other requests need a turn between them.
      if (read > 0) await nextTurn();
      const pets = await this.page({ ...page, after, limit: SNAPSHOT_PAGE });
      found.push(...pets.filter(({ name }) => matches(name)));
      if (found.length >= page.limit) return found.slice(0, page.limit);
      if (pets.length < SNAPSHOT_PAGE) return found;
      after = BigInt(pets.at(-1)?.id ?? 0);
    }
    return Object.assign(found, { readTo: Number(after) });
  }

  count(filters: PetFilters): Awaitable<number | undefined> {
    return this.#count(withoutPattern(filters), COUNT_TIME);
  }

  #count(filters: PlainFilters, time: number): Awaitable<number | undefined> {
    const { status, categoryId, name, beginning, ids } = filters;
    if (categoryId === undefined && name === undefined && beginning === undefined && ids === undefined) {
      return after(this.inventory(), (inventory) =>
        sum(status === undefined ? Object.values(inventory) : [inventory[status]]),
      );
    }
    if (beginning?.isTooLong) return undefined;
    const counted = after(this.#sql.read(...countQuery(filters, this.#sql.seek)), ([row]) =>
      Number(row?.read) > MOST_READ ? undefined : Number(row?.matching ?? 0),
    );
    return counted instanceof Promise ? Promise.race([counted, pause(time, undefined, { ref: false })]) : counted;
  }

  inventory(): Awaitable<Inventory> {
    const statuses = PetStatus.options;
    return after(this.#sql.read(selectCounts(statuses)), ([row]) => countsIn(row, statuses));
  }
}

const sum = (counts: number[]): number => counts.reduce((all, one) => all + one, 0);

/** Filters whose name, if there is one, is that of the pets. */
type PlainFilters = PetFilters & { beginning?: Beginning | undefined };

/** Returns the filters with what that of the names means. */
function withoutPattern<Filters extends PetFilters>(filters: Filters): Filters & PlainFilters {
  if (!filters.name?.endsWith("*")) return filters;
  const { text, isBeginning } = readNameFilter(filters.name);
  if (!isBeginning) return { ...filters, name: text };
  return { ...filters, name: undefined, beginning: text === "" ? undefined : beginningOf(text) };
}

const columnsOf = ({ status, categoryId, name }: PlainFilters) => ({
  ...(name !== undefined && { name_key: ":name" }),
  ...(categoryId !== undefined && { category_id: ":categoryId" }),
  ...(status !== undefined && { status: ":status" }),
});

const valuesOf = ({ status, categoryId, name, beginning }: PlainFilters): Values => ({
  ...(name !== undefined && { name: nameKey(name) }),
  ...(beginning !== undefined && { from: beginning.from, below: beginning.below }),
  ...(categoryId !== undefined && { categoryId }),
  ...(status !== undefined && { status }),
});

const equal = ([column, value]: [string, string]) => `${column} = ${value}`;

const RANGE = "name_key >= :from AND name_key < :below";
/** The order of the index keeps PostgreSQL from reading the table instead. */
const BEGINNING = `${RANGE} ORDER BY name_key, id`;

/** Returns the query of a page of pets whose names begin so, if they are few, and its values. All that it compares is in the index. */
function beginningQuery(page: Page, beginning: Beginning): [text: string, values: Values] {
  const [follows, direction] = page.order === "desc" ? ["<", "DESC"] : [">", "ASC"];
  const conditions = [`id ${follows} :after`, ...Object.entries(columnsOf(page)).map(equal)];
  return [
    `SELECT id, name, category_id, status, version FROM petstore.pets WHERE id IN (
       SELECT id FROM (SELECT id, status, category_id FROM petstore.pets WHERE ${BEGINNING} LIMIT ${MOST_READ}) AS begun
       WHERE ${conditions.join(" AND ")} ORDER BY id ${direction} LIMIT :limit
     ) ORDER BY id ${direction}`,
    { ...valuesOf({ ...page, beginning }), after: page.after, limit: page.limit },
  ];
}

/**
 * Returns the query of a count, and its values. It reads the pets of one filter by their index, and compares the others; `read` is
 * more than MOST_READ if there may be others.
 */
function countQuery(filters: PlainFilters, seek: Seek): [text: string, values: Values] {
  const named = filters.ids && among(filters.ids);
  const columns = Object.entries(columnsOf(filters));
  const range = filters.beginning && BEGINNING;
  const where = named?.text ?? range ?? seek(Object.fromEntries(columns.slice(0, 1)), {}, "asc").where;
  const matches = [...columns.map(equal), ...(range === undefined ? [] : [RANGE])];
  return [
    `SELECT count(*) AS read, sum(CASE WHEN ${matches.join(" AND ") || "true"} THEN 1 ELSE 0 END) AS matching
     FROM (SELECT id, status, category_id, name_key FROM petstore.pets WHERE ${where} LIMIT ${MOST_READ + 1}) AS pet`,
    { ...named?.values, ...valuesOf(filters) },
  ];
}

/** Returns the pet that an earlier creation with the same request added, as it was added. */
export function replayed({ name, categoryId, status = DEFAULT_STATUS }: NewPet, id: bigint | undefined): StoredPet {
  return { id: Number(id), name, categoryId, status, version: FIRST_VERSION };
}

/** @throws validation_failed for the first pet whose category does not exist. The others then do until the transaction ends */
function* requireCategories(pets: readonly NewPet[]): Transaction<void> {
  const rows = yield selectCategories([...new Set(pets.map(({ categoryId }) => categoryId))]);
  const known = new Set(rows.map(({ id }) => BigInt(String(id))));
  const unknown = pets.findIndex(({ categoryId }) => !known.has(categoryId));
  if (unknown !== -1) throw unknownCategory(`pets.${unknown}.categoryId`);
}

function* create(pet: NewPet, { checksCategories }: PetRules, authored: Authored): Transaction<StoredPet> {
  if (checksCategories && !(yield* categoryExists(pet.categoryId))) throw unknownCategory();
  const added = yield* insert(pet, authored);
  yield count(difference(undefined, added.status));
  return added;
}

function* insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet, authored: Authored): Transaction<StoredPet> {
  const [row] = yield {
    text: `INSERT INTO petstore.pets (name, category_id, status, name_key) VALUES (:name, :categoryId, :status, :key)
           RETURNING id`,
    values: { name, categoryId, status, key: nameKey(name) },
  };
  const pet = { id: Number(row?.id), name, categoryId, status, version: FIRST_VERSION };
  yield* record({ action: "pet.create", json: petJson, after: pet }, authored);
  return pet;
}

function* update(
  id: bigint,
  patch: PetPatch,
  { checksCategories }: PetRules,
  { preconditions, keepsSold = false, ...authored }: PetUpdateOptions,
): Transaction<StoredPet> {
  const { categoryId } = patch;
  const isUnknown = checksCategories && categoryId !== undefined && !(yield* categoryExists(categoryId));
  const before = yield* lockPet(id);
  // A pet keeps the category that it has.
  if (isUnknown && before?.categoryId !== categoryId) throw unknownCategory();
  const pet = requirePet(before, preconditions);
  const isKept = keepsSold && takesBack(pet, patch) && (yield* wasDelivered(pet));
  const after = changed(pet, isKept ? { ...patch, status: pet.status } : patch, yield* holderOf(pet));
  if (after === pet) return pet;
  yield* replacePet(pet, after);
  yield* record({ action: "pet.update", json: petJson, before: pet, after }, authored);
  if (after.status !== pet.status) yield count(difference(pet.status, after.status));
  return after;
}

function* remove(id: bigint, { preconditions, ...authored }: ChangeOptions): Transaction<void> {
  const pet = requirePet(yield* lockPet(id), preconditions);
  requireNotReserved(yield* holderOf(pet));
  yield { text: "DELETE FROM petstore.pets WHERE id = :id", values: { id } };
  yield* record({ action: "pet.delete", json: petJson, before: pet }, authored);
  yield count(difference(pet.status, undefined));
}

export function* lockPet(id: bigint | number): Transaction<StoredPet | undefined> {
  const [row] = yield {
    text: "SELECT id, name, category_id, status, version FROM petstore.pets WHERE id = :id FOR UPDATE",
    values: { id },
  };
  return row && petOf(row);
}

/** @throws pet_not_found, precondition_failed */
export function requirePet(pet: StoredPet | undefined, preconditions?: Preconditions): StoredPet {
  if (pet === undefined) throw new PetstoreError("pet_not_found");
  requireTag(tagOfVersion(pet.version), preconditions);
  return pet;
}

/** Writes what differs in the new state of a locked pet: the indexes of other columns stay as they are. */
export function* replacePet(
  before: StoredPet,
  { id, name, categoryId, status, version }: StoredPet,
): Transaction<void> {
  const changes = {
    ...(name !== before.name && { name, name_key: nameKey(name) }),
    ...(categoryId !== before.categoryId && { category_id: categoryId }),
    ...(status !== before.status && { status }),
    version,
  };
  const columns = Object.keys(changes).map((column) => `${column} = :${column}`);
  yield { text: `UPDATE petstore.pets SET ${columns.join(", ")} WHERE id = :id`, values: { ...changes, id } };
}

/** The members of the event of a pet that gets its id as it is stored. */
export function membersOfNew(pet: NewPet, authored: Authored): string {
  return membersOfCreation(petJson({ ...pet, id: 0, status: pet.status ?? DEFAULT_STATUS }), FIRST_VERSION, authored);
}

export function petUpdated(after: StoredPet, authored: Authored): NewEvent {
  return newEvent({ action: "pet.update", json: petJson, after }, authored);
}

/** Returns the id of the order that holds a locked pet, if one does: the pet is then pending. */
function* holderOf({ id, status }: StoredPet): Transaction<number | undefined> {
  if (status !== "pending") return undefined;
  const [row] = yield {
    text: `SELECT id FROM petstore.orders WHERE pet_id = :id AND status IN (${HOLDING})`,
    values: { id },
  };
  return row && Number(row.id);
}

function* wasDelivered({ id }: StoredPet): Transaction<boolean> {
  const orders = yield {
    text: "SELECT id FROM petstore.orders WHERE pet_id = :id AND status = 'delivered' LIMIT 1",
    values: { id },
  };
  return orders.length > 0;
}
