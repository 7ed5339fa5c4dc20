import type { Counts } from "./count-table.ts";

/** What keys are ranked by: all requests, or those that the limits refused (429). */
export const rankings = ["requests", "refusals"] as const;
export type Ranking = (typeof rankings)[number];

/** A count of a key. */
export type Ranked = { keyId: string; count: number };
/** The counts of a key, of all operations together. */
export type KeySum = { keyId: string; counts: Counts };
