/** What a search compares. The control character, which no key contains, keeps a text from matching across both columns. */
export const SEARCHED = "search_text || chr(10) || last_fours";

/**
 * An index of every one, two and three characters of what a search compares, in place of the one that needed an extension.
 * The planner guesses how many keys have a text, so the function that finds them leaves it no choice. Totals of calls are read
 * from an index.
 */
export const keyTextParts = [
  `CREATE OR REPLACE FUNCTION petstore.text_parts(value text, shortest integer) RETURNS text[]
     LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
     SELECT array_agg(substr(value, place, size))
       FROM generate_series(shortest, 3) AS size, generate_series(1, length(value) - size + 1) AS place
   $$`,
  `CREATE INDEX IF NOT EXISTS keys_by_text_parts
     ON petstore.keys USING gin (petstore.text_parts(${SEARCHED}, 1)) WITH (fastupdate = off)`,
  `CREATE OR REPLACE FUNCTION petstore.keys_with_text(searched text, most bigint) RETURNS SETOF petstore.keys
     LANGUAGE sql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
     SELECT * FROM petstore.keys
       WHERE petstore.text_parts(${SEARCHED}, 1) @> petstore.text_parts(searched, least(3, length(searched)))
         AND strpos(${SEARCHED}, searched) > 0
       LIMIT most
   $$`,
  "DROP INDEX IF EXISTS petstore.keys_by_text",
  "CREATE INDEX IF NOT EXISTS deprecated_calls_by_operation ON petstore.deprecated_calls (operation, calls)",
];
