import { readFileSync } from "node:fs";

/** What the high-water mark says about the ids of a database. */
export type HighWaterMark = {
  /** The highest id of an acknowledged pet. */
  highest: number;
  /** The boot of the machine in which `highest` is exact: it is not synced, so that a loss of power may set it back. */
  boot: string;
  /** No id above this one was given. It is synced before an id reaches it. */
  reserved: number;
  /** The ids of acknowledged pets that were found to be lost, until an operator accepts it. */
  lost: IdRange | undefined;
};

/** Ids from the first to the last one, including both. */
export type IdRange = { from: number; to: number };

/** The boot of a mark whose `highest` is not exact: the database was replaced. */
export const NO_BOOT = "none";
/** Linux gives each boot a new id. Elsewhere a loss of power looks like the end of a process. */
export const BOOT = bootId() ?? "unknown";

/**
 * The ids of pets that were acknowledged and are not there, or were found to be lost before: `last` is the highest id of the
 * database. There may be more after a loss of power. Between two losses there may be pets that are there.
 */
export function lostIds(mark: HighWaterMark | undefined, last: number): IdRange | undefined {
  if (mark === undefined || last >= mark.highest) return mark?.lost;
  return { from: Math.min(last + 1, mark.lost?.from ?? Infinity), to: mark.highest };
}

/** The id above which the next one must be: `last`, unless later ids were given, or may have been. */
export function lowerBound(mark: HighWaterMark | undefined, last: number): number {
  if (mark === undefined || (last >= mark.highest && mark.boot === BOOT)) return last;
  return Math.max(last, mark.highest, mark.reserved);
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}
