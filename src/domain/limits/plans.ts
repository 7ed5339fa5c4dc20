/** The requests of a key per minute and per day (24 h). Both are positive integers. */
export type Limits = { perMinute: number; perDay: number };

/** The limits of each plan (docs/limits.md, Plans). Enterprise keys have custom limits. */
export const limitsOf = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>;

export const plans = ["free", "pro", "business", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** The largest limit. Counts stay exact; no key is unlimited. */
export const MAX_LIMIT = 1_000_000_000;
