/** How many requests a key may make: in a minute and in a day (24 h). Both are positive integers. */
export type Limits = { perMinute: number; perDay: number };

/** docs/limits.md, Plans: the numbers of each plan. Enterprise has none of its own: they are given with the key. */
export const limitsOf = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>;

export const plans = ["free", "pro", "business", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** What a limit may be at most: counts stay exact, and there is no "unlimited". */
export const LARGEST_LIMIT = 1_000_000_000;
