import type { KeyTexts } from "../sql/key-listing.ts";
import type { Database } from "./database.ts";

/** The ids of so many keys are sent to and fro in a millisecond. */
const FEW = 2_000;
/** So many in a sample of one percent have a text that the order of the list finds sooner than its index. */
const MANY_IN_SAMPLE = 200;

/** Selects an expression over the keys that contain a text, up to `:most`; NULL if a sample has many. */
function ofKeysWithText(expression: string): string {
  return `SELECT CASE
    WHEN (SELECT count(*) FROM petstore.keys TABLESAMPLE SYSTEM (1)
      WHERE strpos(search_text, :searched) > 0 OR strpos(last_fours, :searched) > 0) > :many THEN NULL
    ELSE (SELECT ${expression} FROM petstore.keys_with_text(:searched, :most)) END AS found`;
}

const COUNT = ofKeysWithText("count(*)");
const IDS = ofKeysWithText("coalesce(string_agg(id, ','), '')");

/** The index of what a search of keys compares. */
export function keyTexts(database: Database): KeyTexts {
  const find = async (text: string, searched: string, most: number): Promise<string | undefined> => {
    const row = await database.first(text, { searched, most, many: MANY_IN_SAMPLE });
    return row?.found ?? undefined;
  };
  return {
    count: async (searched, most) => {
      const found = await find(COUNT, searched, most);
      return found === undefined ? undefined : Number(found);
    },
    // The index is read once, although the list may read its keys in several ways.
    few: async (searched) => {
      const ids = await find(IDS, searched, FEW + 1);
      if (ids === undefined || ids.split(",").length > FEW) return undefined;
      return {
        table: "petstore.keys",
        conditions: { texts: ["id = ANY(string_to_array(:ids, ','))"], values: { ids } },
      };
    },
  };
}
