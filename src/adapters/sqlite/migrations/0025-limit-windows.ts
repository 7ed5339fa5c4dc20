import type { LimitState } from "../../../domain/limits/limits.ts";

/** How many keys shared a page, and each of them had four numbers of 64 bits. */
const KEYS = 64;
const NUMBERS = 4;
export const NUMBERS_BYTES: number = KEYS * NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Pages of limit states with more keys, of which a change writes the numbers alone, in half the bytes: all of 20,000 keys are
 * on 80 pages of the file in place of 313. The states that were saved so far are among `others` until their page changes.
 */
export const limitWindows = `
CREATE TABLE limit_windows (
  number INTEGER PRIMARY KEY,
  numbers BLOB NOT NULL,
  others TEXT
) STRICT;
CREATE TABLE limit_keys (
  number INTEGER PRIMARY KEY,
  key_ids TEXT NOT NULL
) STRICT;
INSERT INTO limit_windows
  SELECT limit_pages.number / 3, x'', json_group_object(key, json(value))
  FROM limit_pages, json_each(limit_states(key_ids, numbers, others)) GROUP BY limit_pages.number / 3;
INSERT INTO limit_keys SELECT number / 3, group_concat(key_ids, ' ') FROM limit_pages GROUP BY number / 3;
DROP TABLE limit_pages;
`;

/** The SQL function `limit_states`: the states on a page of `limit_pages` by key, as a JSON object. */
export function limitStates(keyIds: string, bytes: Uint8Array, others: string | null): string {
  const states: Record<string, LimitState | number[]> = JSON.parse(others ?? "{}");
  const numbers = new Float64Array(bytes.slice().buffer);
  for (const [place, id] of keyIds.split(" ").entries()) {
    const state = numbers.slice(place * NUMBERS, (place + 1) * NUMBERS);
    if (state.length > 0 && state[0] !== -1) states[id] = [...state];
  }
  return JSON.stringify(states);
}
