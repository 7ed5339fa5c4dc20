import type { KeyTexts } from "../sql/key-listing.ts";
import type { Database } from "./database.ts";

/** So many keys are found by their text sooner than in the order of the list. */
const FEW = 2_000;
/** So many in a sample have a text that the order of the list finds sooner than its index, even to count them. */
const SAMPLE_PERCENT = 0.5;
const MANY_IN_SAMPLE = 100;

/** Counts the keys that contain a text, up to `:most`; NULL if a sample has many. */
const COUNT = `SELECT CASE
    WHEN (SELECT count(*) FROM petstore.keys TABLESAMPLE SYSTEM (${SAMPLE_PERCENT})
      WHERE strpos(search_text, :searched) > 0 OR strpos(last_fours, :searched) > 0) > :many THEN NULL
    ELSE (SELECT count(*) FROM petstore.keys_with_text(:searched, :most)) END AS count`;
/** To read the index again takes a fraction of the time of sending ids to and fro. All keys: some may have come meanwhile. */
const KEYS_WITH_TEXT = "petstore.keys_with_text(:searched, NULL)";

/** The index of what a search of keys compares. */
export function keyTexts(database: Database): KeyTexts {
  return {
    find: async (searched, most) => {
      const row = await database.first(COUNT, { searched, most: Math.max(most, FEW + 1), many: MANY_IN_SAMPLE });
      if (row?.count == null) return {};
      const count = Number(row.count);
      return { count, few: count > FEW ? undefined : { table: KEYS_WITH_TEXT, values: { searched } } };
    },
  };
}
