import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { Authored } from "../../domain/audit.ts";
import { unavailable } from "../../domain/errors.ts";
import { type BulkPets, type PetStatus, SNAPSHOT_PAGE, type StoredPet } from "../../domain/pets.ts";
import type { ShopStore } from "../../domain/shop.ts";
import { selectCategories } from "../sql/categories.ts";
import { countsIn, selectCounts } from "../sql/pets.ts";
import { keptImport } from "../sql/records.ts";
import { type Columns, insertRemoved, orderData, replaceShop, STATUSES, type StatusCounts } from "../sql/shop.ts";
import type { Transaction } from "../sql/sql.ts";
import type { Database } from "./database.ts";
import { IN_MEMORY, read } from "./errors.ts";
import type { StoreFile } from "./migrate.ts";
import { connect, READ_BUSY_TIMEOUT } from "./open.ts";
import { pageTexts, petOf, type SqlitePets } from "./pets.ts";

/** The pause between two commits, in ms, in which others can write: a waiting service tries every 3 ms. */
const PAUSE = 5;

/** Bulk import and export of pets in a SQLite file, which a service may be using. */
export function sqliteBulk(database: Database, pets: SqlitePets) {
  let lastCommit = -Infinity;
  /** Call it within `Database.write`. */
  const haveAll = (categories: readonly bigint[]) => {
    if (categories.length === 0) return true;
    return database.rows(selectCategories(categories)).length === categories.length;
  };
  return {
    async add(added, entry, categories = []) {
      const remaining = lastCommit + PAUSE - performance.now();
      if (remaining > 0) await pause(remaining);
      const haveAdded = await database.write(() => {
        if (!haveAll(categories)) return false;
        for (const pet of added) pets.insert(pet, { requestId: entry.requestId, now: entry.at });
        database.run(keptImport(entry));
        return true;
      });
      lastCommit = performance.now();
      return haveAdded;
    },
    snapshot(status?: PetStatus) {
      const filter = status === undefined ? {} : { status };
      const { file } = database;
      return file.path === IN_MEMORY ? copyOf(pets, filter) : pagesOf(file, filter);
    },
  } satisfies BulkPets;
}

type Filter = { status?: PetStatus };

/** Only the database's own connection sees a database in memory: copies all pets in one turn of the event loop. */
function* copyOf(pets: SqlitePets, filter: Filter): Generator<StoredPet[]> {
  const pages: StoredPet[][] = [];
  for (let after = 0n; ; ) {
    const page = pets.page({ ...filter, after, limit: SNAPSHOT_PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    pages.push(page);
    after = BigInt(last.id);
  }
  yield* pages;
}

/** Reads on its own connection: it neither blocks nor sees concurrent writes. */
function* pagesOf(file: StoreFile, filter: Filter): Generator<StoredPet[]> {
  using connection = connectionTo(file);
  const text = pageTexts(filter.status === undefined ? [] : ["status"], false).at(-1) ?? "";
  const page = connection.prepare(text);
  page.setReadBigInts(true);
  read(() => connection.exec("BEGIN"));
  for (let after = 0; ; ) {
    const rows = read(() => page.all({ ...filter, after, limit: SNAPSHOT_PAGE }));
    const pets = rows.map((row) => petOf(row, filter.status));
    const last = pets.at(-1);
    if (last === undefined) return;
    yield pets;
    after = last.id;
  }
}

/** @throws service_unavailable */
function connectionTo(file: StoreFile): DatabaseSync {
  try {
    return connect(file, READ_BUSY_TIMEOUT);
  } catch (error) {
    throw unavailable(error);
  }
}

export function sqliteShop(database: Database): ShopStore {
  return {
    replace: (shop, options) => database.transaction(() => replaceShop(shop, options, { removeAll, selectRows })),
  };
}

const time = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;

/** The JSON of a row, but for its id. */
const PET = "json_object('name', name, 'categoryId', category_id, 'status', status)";
const orderJson = () => orderData((text) => `nullif(json_quote(${text}), 'null')`, time);

const TRIGGER = "pet_blocks_of_removed_pets";

/**
 * Nobody else writes meanwhile: the counts are those of what it removes. Without a trigger SQLite removes a million pets in
 * a tenth of a second, with one in many (sqlite.org/lang_delete.html, The Truncate Optimization).
 */
function* removeAll(authored: Authored): Transaction<StatusCounts> {
  const [row] = yield { text: selectCounts(STATUSES), values: {} };
  yield insertRemoved("order", { text: "petstore.orders", data: orderJson() }, authored);
  yield insertRemoved("pet", { text: "petstore.pets", data: PET }, authored);
  yield { text: "DELETE FROM orders", values: {} };
  const [trigger] = yield { text: `SELECT sql FROM sqlite_schema WHERE name = '${TRIGGER}'`, values: {} };
  yield { text: `DROP TRIGGER ${TRIGGER}`, values: {} };
  yield { text: "DELETE FROM pets", values: {} };
  yield { text: "DELETE FROM pet_blocks", values: {} };
  yield { text: String(trigger?.sql), values: {} };
  return countsIn(row, STATUSES);
}

/** Without WHERE, SQLite takes ON CONFLICT for a part of a join (sqlite.org/lang_upsert.html, section 2.2). */
function selectRows(columns: Columns): string {
  const values = Object.keys(columns).map((column) => `value ->> '${column}'`);
  return `SELECT ${values.join(", ")} FROM json_each(:rows) WHERE true`;
}
