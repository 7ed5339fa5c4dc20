import type { Cause } from "./backup.ts";

/** A backup that was made at `at` (Unix ms). */
export type Dated = { at: number };

/**
 * The newest of these backups that was made by `now`; undefined if there is none. A clock that was wrong leaves backups with
 * times to come: they must not keep the schedule from making another for as long.
 */
export function newest<T extends Dated>(backups: readonly T[], now: number): T | undefined {
  return byAge(backups, now).find(({ at }) => at <= now);
}

/** Whether it is time for a backup: there is none from the last `every` ms. Of several that were missed one is made up. */
export function isDue(latest: number | undefined, every: number, now: number): boolean {
  return latest === undefined || latest > now || now - latest >= every;
}

/**
 * The backups to delete: those that the schedule made, but the `keep` newest. One with a time to come was made before the
 * clock was set back, so before all others.
 */
export function obsolete<T extends Dated & { cause: Cause }>(backups: readonly T[], keep: number, now: number): T[] {
  return byAge(
    backups.filter(({ cause }) => cause === "schedule"),
    now,
  ).slice(keep);
}

/** Newest first; those with times to come last. */
function byAge<T extends Dated>(backups: readonly T[], now: number): T[] {
  return [...backups].sort((a, b) => Number(a.at > now) - Number(b.at > now) || b.at - a.at);
}
