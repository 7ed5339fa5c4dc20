import type { Point } from "../../domain/usage/point.ts";

/** How long points are kept, in ms: what another process adds to them, after it could not write, shows so late at most. */
const KEPT_FOR = 60_000;
/** Some 15 kB each. */
const MOST_KEYS = 1_000;

/** Points of the hours that ended at `end` or before, read at `readAt` (both Unix ms). */
type Entry = { end: number; points: Point[]; readAt: number };

/** The past hours of keys, kept for a minute, so that a client that often asks has only the last one or two read again. */
export class PastHours {
  readonly #entries = new Map<string, Entry>();

  /** The key's hours up to `end`, at `now` (both Unix ms); none when they are not kept. */
  get(keyId: string, end: number, now: number): Point[] {
    const entry = this.#entries.get(keyId);
    const isCurrent = entry?.end === end && now >= entry.readAt && now < entry.readAt + KEPT_FOR;
    return isCurrent ? entry.points : [];
  }

  set(keyId: string, entry: Entry): void {
    this.#entries.delete(keyId);
    this.#entries.set(keyId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_KEYS && oldest !== undefined) this.#entries.delete(oldest);
  }
}
