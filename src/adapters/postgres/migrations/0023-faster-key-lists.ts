import { SEARCHED } from "./0019-key-text-parts.ts";

/** What orders and filters compare, beside the text. */
const COMPARED = `id, created_at, owner_key, owner_name_key, plan, revoked_at, expires_at, disabled_at, banned_until,
  simulation`;

/**
 * A search looks up the parts of its text that few keys contain: all keys may contain one, and the index has a row for each.
 * It finds what a list compares, in two thirds of the time of whole rows; the view gives that its types and collations. By
 * owner, a filter by state and plan reads only keys that can be in another state than active.
 */
export const fasterKeyLists = [
  `CREATE OR REPLACE VIEW petstore.compared_keys AS SELECT ${COMPARED} FROM petstore.keys`,
  `CREATE OR REPLACE FUNCTION petstore.keys_with_text(searched text, parts text[], most bigint)
     RETURNS SETOF petstore.compared_keys
     LANGUAGE sql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
     SELECT ${COMPARED} FROM petstore.keys
       WHERE petstore.text_parts(${SEARCHED}, 1) @> parts AND strpos(${SEARCHED}, searched) > 0
       LIMIT most
   $$`,
  `CREATE INDEX IF NOT EXISTS keys_possibly_inactive_by_owner
     ON petstore.keys (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
     WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL`,
];
