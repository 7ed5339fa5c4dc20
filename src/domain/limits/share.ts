import type { Limits } from "./plans.ts";

/** The limits of one of `nodes` nodes while each counts alone: the whole divided by their number, at least 1. */
export function shareOf({ perMinute, perDay }: Limits, nodes: number): Limits {
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes));
  return { perMinute: share(perMinute), perDay: share(perDay) };
}
