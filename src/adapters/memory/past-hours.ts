import type { Point } from "../../domain/usage/point.ts";

/** How long points are kept, in ms: what another process adds to them, after it could not write, shows so late at most. */
const KEPT_FOR = 3_600_000;
/** Some 15 kB each. */
const MOST_KEYS = 1_000;

/** Points of the hours that ended at `end` or before, the first of them read at `readAt` (both Unix ms). */
export type Entry = { end: number; points: readonly Point[]; readAt: number };

/** The past hours of keys, kept for an hour, so that a client that often asks has only the last one or two read again. */
export class PastHours {
  readonly #entries = new Map<string, Entry>();

  /** The key's hours up to `end` or before, at `now` (both Unix ms), if they are kept. */
  get(keyId: string, end: number, now: number): Entry | undefined {
    const entry = this.#entries.get(keyId);
    if (entry === undefined || entry.end > end) return undefined;
    return now >= entry.readAt && now < entry.readAt + KEPT_FOR ? entry : undefined;
  }

  set(keyId: string, entry: Entry): void {
    this.#entries.delete(keyId);
    this.#entries.set(keyId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_KEYS && oldest !== undefined) this.#entries.delete(oldest);
  }
}
