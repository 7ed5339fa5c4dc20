import type { Limits } from "./plans.ts";

/** What one of `nodes` nodes may allow while it counts alone: together never more than the whole, each at least one. */
export function shareOf({ perMinute, perDay }: Limits, nodes: number): Limits {
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes));
  return { perMinute: share(perMinute), perDay: share(perDay) };
}
