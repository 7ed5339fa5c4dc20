import type { FoundKey } from "../../domain/keys/key.ts";
import type { SimulationScript } from "../../domain/keys/simulation.ts";
import type { KeyFilter, KeysPage } from "../../domain/keys/store.ts";
import { isPossiblyInactive, type KeyTexts, TABLE } from "../sql/key-listing.ts";
import { countRequests, requestKeyOf, requestSecretOf, SqlKeys } from "../sql/keys.ts";
import type { Row } from "../sql/sql.ts";
import type { Database, Query } from "./database.ts";
import { read } from "./errors.ts";

/** The characters of the parts that the index has. */
const PART = 3;
const WITH_TEXT = "SELECT rowid FROM petstore.key_texts WHERE key_texts MATCH :phrase LIMIT :limit";
const WITH_SHORT_TEXT =
  "SELECT DISTINCT doc FROM petstore.key_text_parts WHERE term BETWEEN :first AND :last LIMIT :limit";
/** In memory without FTS5, texts are in a plain table. */
const IS_INDEXED = "SELECT 1 FROM sqlite_schema WHERE name = 'key_text_parts'";
const IN_PLAIN_TABLE = "SELECT rowid FROM petstore.key_texts WHERE instr(text, :text) > 0 LIMIT :limit";
/**
 * A join in this order reads these keys alone; SQLite would read an index of keys for some conditions. FTS5 keeps the columns in a
 * table of its own (sqlite.org/fts5.html, "%_content"), which gives them in half the time.
 */
const keysOfRows = (table: string, key: string) => `(SELECT keys.* FROM petstore.${table} AS texts
  CROSS JOIN petstore.keys ON keys.id = texts.${key} WHERE texts.rowid IN (SELECT value FROM json_each(:rows)))`;
const LAST_CHARACTER = "\u{10FFFF}";

/** The index of what a search of keys compares. Up to `mostFew` keys with a text are few. */
export function keyTexts(database: Database, mostFew: number): KeyTexts {
  const isIndexed = database.first(IS_INDEXED) !== undefined;
  const keys = isIndexed ? keysOfRows("key_texts_content", "c1") : keysOfRows("key_texts", "key_id");
  const rowsWith = (text: string, limit: number): unknown[] => {
    if (!isIndexed) return database.all(IN_PLAIN_TABLE, { text, limit }).map(({ rowid }) => rowid);
    const isShort = [...text].length < PART;
    const rows: Row[] = isShort
      ? database.all(WITH_SHORT_TEXT, { first: text, last: text + LAST_CHARACTER.repeat(PART), limit })
      : database.all(WITH_TEXT, { phrase: `"${text.replaceAll('"', '""')}"`, limit });
    return rows.map(({ rowid, doc }) => rowid ?? doc);
  };
  return {
    find: (text) => {
      const found = rowsWith(text, mostFew + 1);
      if (found.length > mostFew) return undefined;
      return { table: keys, values: { rows: `[${found}]` }, count: found.length };
    },
  };
}

/**
 * `sliceSize`: a filter is applied to so many keys in a fraction of a millisecond. `few`: so many are read and sorted in a
 * few milliseconds; a page of a text that more keys contain is found sooner in the order of the list.
 */
const SIZES = { sliceSize: 5_000, few: 1_500 };

/**
 * Names the index that has all that a filter compares. An index of a state is faster for that state alone, and few keys have a
 * simulation. For a plan and a state SQLite itself prefers the index of the state, and reads the table.
 */
function tableFor(filter: KeyFilter, order: KeysPage["order"]): string {
  const { owner, plan, search, isRehearsing } = filter;
  const by = (index: string) => `${TABLE} INDEXED BY ${index}`;
  if (isRehearsing) return by("keys_rehearsing");
  if (isPossiblyInactive(filter) && owner === undefined) {
    if (order === "owner") return by("keys_possibly_inactive_by_owner");
    if (plan !== undefined) return by("keys_possibly_inactive");
  }
  if (order === "owner" || owner?.email !== undefined) return by("keys_by_owner");
  if (owner !== undefined)
    return by(isPossiblyInactive(filter) ? "keys_possibly_inactive_by_name" : "keys_by_owner_name");
  return plan === undefined && search === undefined ? TABLE : by("keys_by_age");
}

/** When a key was last used is in a table of its own: that of the keys has few to a page. */
const LAST_USED = "(SELECT last_used_at FROM key_uses WHERE key_id = keys.id) AS last_used_at";

export class SqliteKeys extends SqlKeys {
  readonly #database: Database;
  readonly #secretByHash: Query;
  readonly #keyById: Query;
  readonly #lastChange: Query;
  #changesByOthers = -1;
  #revisionByOthers = 0;

  constructor(database: Database, { sliceSize, few } = SIZES) {
    super(database.withReserve, { columns: `*, ${LAST_USED}`, sliceSize, tableFor, texts: keyTexts(database, few) });
    this.#database = database;
    this.#secretByHash = database.prepareRead("SELECT key_id, expires_at FROM secrets WHERE hash = ?");
    this.#keyById = database.prepareRead(
      `SELECT id, plan, per_minute, per_day, scopes, expires_at, revoked_at, disabled_at, pardoned_at, simulation,
         simulation_requests, ${LAST_USED} FROM keys WHERE id = ?`,
    );
    this.#lastChange = database.prepareRead("SELECT max(id) AS id FROM audit");
  }

  /** Two look-ups by primary key take a third of the time of a join. */
  findBySecret(hash: string): FoundKey | undefined {
    return read(() => {
      const secretRow = this.#secretByHash().get(hash);
      const keyRow = secretRow && this.#keyById().get(String(secretRow.key_id));
      if (secretRow === undefined || keyRow === undefined) return undefined;
      return { key: requestKeyOf(keyRow), secret: requestSecretOf(secretRow.expires_at ?? null) };
    });
  }

  /** Requests of one turn share a commit. */
  async countSimulated(keyId: string, simulation: SimulationScript): Promise<number | undefined> {
    const [position] = await this.#database.transaction(() => countRequests([{ keyId, simulation }]));
    return position;
  }

  /**
   * Grows when another process has changed a key, as of the last refresh of the database. Every change of a key has an
   * audit entry in its transaction: so an import in another process leaves cached keys as they are. Only the last request of
   * a simulation ends it without one: `countSimulated` shows the next request that it is over.
   * @throws service_unavailable
   */
  get revisionByOthers(): number {
    const { changesByOthers } = this.#database;
    if (changesByOthers !== this.#changesByOthers) {
      this.#revisionByOthers = read(() => Number(this.#lastChange().get()?.id));
      this.#changesByOthers = changesByOthers;
    }
    return this.#revisionByOthers;
  }
}
