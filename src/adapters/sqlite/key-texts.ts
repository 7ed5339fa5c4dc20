import type { KeyTexts } from "../sql/key-listing.ts";
import type { Row } from "../sql/sql.ts";
import type { Database } from "./database.ts";

/** The fewest characters of a text without wildcards that the index of every three characters finds. */
const INDEXED = /[^*?[]{3}/u;

/** The index of what a search of keys compares. Up to `most` keys with a text are few. */
export function keyTexts(database: Database, most: number): KeyTexts {
  const find = (text: string, limit: number): Row[] | undefined => {
    // Unlike LIKE with ESCAPE, GLOB uses the index. Both texts are in lower case.
    const pattern = `*${text.replace(/[*?[]/g, "[$&]")}*`;
    const select = "SELECT key_id FROM petstore.key_texts WHERE text GLOB :pattern LIMIT :limit";
    return INDEXED.test(text) ? database.all(select, { pattern, limit }) : undefined;
  };
  return {
    count: (text, limit) => find(text, limit)?.length,
    few: (text) => {
      const found = find(text, most + 1);
      if (found === undefined || found.length > most) return undefined;
      const ids = JSON.stringify(found.map(({ key_id }) => key_id));
      return {
        table: "petstore.keys NOT INDEXED",
        condition: { text: "id IN (SELECT value FROM json_each(:ids))", values: { ids } },
      };
    },
  };
}
