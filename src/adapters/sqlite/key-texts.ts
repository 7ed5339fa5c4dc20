import type { KeyTexts } from "../sql/key-listing.ts";
import type { Row } from "../sql/sql.ts";
import type { Database } from "./database.ts";

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
    find: (text, most) => {
      const found = rowsWith(text, Math.max(most, mostFew + 1));
      const few = found.length > mostFew ? undefined : { table: keys, values: { rows: `[${found}]` } };
      return { count: found.length, few };
    },
  };
}
