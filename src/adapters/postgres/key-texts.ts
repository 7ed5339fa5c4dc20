import type { KeyTexts } from "../sql/key-listing.ts";
import type { Database } from "./database.ts";

/** So many keys are read and sorted in a few milliseconds. */
const FEW = 5_000;
/** So many in a sample of one percent have a text that the order of the list finds sooner than its index. */
const MANY_IN_SAMPLE = (4 * FEW) / 100;

const COUNT = `SELECT CASE
  WHEN (SELECT count(*) FROM petstore.keys TABLESAMPLE SYSTEM (1)
    WHERE strpos(search_text, :searched) > 0 OR strpos(last_fours, :searched) > 0) > :many THEN NULL
  ELSE (SELECT count(*) FROM petstore.keys_with_text(:searched, :most)) END AS count`;

/** The index of what a search of keys compares. */
export function keyTexts(database: Database): KeyTexts {
  const count = async (searched: string, most: number): Promise<number | undefined> => {
    const row = await database.first(COUNT, { searched, most, many: MANY_IN_SAMPLE });
    return row === undefined || row.count === null ? undefined : Number(row.count);
  };
  return {
    count,
    few: async (searched) => {
      const found = await count(searched, FEW + 1);
      if (found === undefined || found > FEW) return undefined;
      const values = { searched, few: FEW };
      return { table: "petstore.keys_with_text(:searched, :few)", conditions: { texts: [], values } };
    },
  };
}
