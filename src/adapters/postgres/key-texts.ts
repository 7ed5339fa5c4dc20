import type { KeyTexts } from "../sql/key-listing.ts";
import type { Database } from "./database.ts";
import { SEARCHED } from "./migrations/0019-key-text-parts.ts";

/** So many keys are found by their text sooner than in the order of the list. */
const FEW = 2_000;
/** So many in a sample have a text that the order of the list finds sooner than its index, even to count them. */
const SAMPLE_PERCENT = 0.5;
const MANY_IN_SAMPLE = 100;
/** To look up a part that so many times more keys contain than the rarest one takes longer than to compare their texts. */
const TOO_FREQUENT = 10;

/**
 * Counts the keys that contain a text, up to `:most`; NULL if a sample has many. Every third part of the text and its last one
 * contain all of it: `parts` are those of them that few keys of the sample contain.
 */
const COUNT = `WITH sample AS MATERIALIZED (
    SELECT ${SEARCHED} AS text FROM petstore.keys TABLESAMPLE SYSTEM (${SAMPLE_PERCENT})
  ), part AS (
    SELECT DISTINCT substr(:searched, greatest(1, least(place, length(:searched) - 2)), 3) AS part
    FROM generate_series(1, length(:searched), 3) AS place
  ), counted AS MATERIALIZED (
    SELECT part, (SELECT count(*) FROM sample WHERE strpos(text, part) > 0) AS keys FROM part
  ), rare AS MATERIALIZED (
    SELECT array_agg(part) AS parts FROM counted WHERE keys <= ${TOO_FREQUENT} * (SELECT min(keys) FROM counted)
  )
  SELECT CAST(parts AS text) AS parts,
    CASE WHEN (SELECT count(*) FROM sample WHERE strpos(text, :searched) > 0) > :many THEN NULL
    ELSE (SELECT count(*) FROM petstore.keys_with_text(:searched, parts, :most)) END AS count
  FROM rare`;
/**
 * To read the index again takes a fraction of the time of sending ids to and fro, and in one statement with the page as long
 * as in two. All keys: some may have come meanwhile.
 */
const KEYS_WITH_TEXT = "petstore.keys_with_text(:searched, CAST(:parts AS text[]), NULL)";

/** The index of what a search of keys compares. */
export function keyTexts(database: Database): KeyTexts {
  return {
    find: async (searched, most) => {
      const row = await database.first(COUNT, { searched, most: Math.max(most, FEW + 1), many: MANY_IN_SAMPLE });
      if (row?.count == null) return {};
      const count = Number(row.count);
      const values = { searched, parts: String(row.parts) };
      return { count, few: count > FEW ? undefined : { table: KEYS_WITH_TEXT, values } };
    },
  };
}
