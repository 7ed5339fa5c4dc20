import { type RateLimits, type RateLimitWindow, reportsIn } from "./limits.ts";

/** A window whose end lies between `earliest` and `latest` (Unix ms). */
type Window = { limit: number; remaining: number; earliest: number; latest: number };

/** What is known of a key's windows from the answers so far, in whatever order they came. */
export class Standing {
  readonly #windows = new Map<string, Window>();
  #isUntold = false;
  /** Requests that got no answer, since the last answer to one that was sent after them; and when the last one ended. */
  #lost = 0;
  #lostAt = 0;

  /** Learns from the headers of an answer to a request `sent` at one moment and answered `now` (Unix ms). */
  note(headers: Headers, sent: number, now: number): void {
    const reports = reportsIn(headers, now);
    this.#isUntold = reports.length === 0;
    if (sent >= this.#lostAt) this.#lost = 0;
    for (const [name, { latest }] of this.#windows) if (now >= latest) this.#windows.delete(name);
    for (const { name, limit, remaining, seconds } of reports) {
      const told = { limit, remaining, earliest: sent + (seconds - 1) * 1000, latest: now + seconds * 1000 };
      const known = this.#windows.get(name);
      if (known === undefined || told.earliest > known.latest) this.#windows.set(name, told);
      else if (told.latest >= known.earliest) this.#windows.set(name, merged(known, told));
    }
  }

  /** A request got no answer until `now` (Unix ms): it may have been counted, or not. */
  noteLost(now: number): void {
    this.#lost += 1;
    this.#lostAt = now;
  }

  /**
   * From when on another request may be sent, in Unix ms, at `now`, while others are under way: at once when that is not
   * later than `now`; Infinity until one of those is answered. While nothing is known of the window that the next
   * request falls into, or of what became of lost ones, one goes first.
   */
  opening(underWay: number, now: number): number {
    const first = underWay === 0 ? now : Number.POSITIVE_INFINITY;
    const taken = underWay + this.#lost;
    if (this.#windows.size === 0) return this.#isUntold ? now : first;
    const openings = [...this.#windows.values()].map(({ remaining, latest }) => {
      if (now >= latest) return first;
      if (remaining > taken) return now;
      return remaining > 0 ? first : latest;
    });
    return Math.max(...openings);
  }

  /** Which limit it is that has to be waited for. */
  get isDayUsedUp(): boolean {
    return this.#windows.get("day")?.remaining === 0;
  }

  /** What the last answers said. */
  get limits(): RateLimits {
    const state = ([name, { limit, remaining, latest }]: [string, Window]): [string, RateLimitWindow] => [
      name,
      { limit, remaining, resetAt: new Date(latest) },
    ];
    return Object.fromEntries([...this.#windows].map(state));
  }
}

/** Two reports on one window: fewest remain, unless its limit was changed; its end is where both say. */
function merged(known: Window, told: Window): Window {
  return {
    limit: told.limit,
    remaining: known.limit === told.limit ? Math.min(known.remaining, told.remaining) : told.remaining,
    earliest: Math.max(known.earliest, told.earliest),
    latest: Math.min(known.latest, told.latest),
  };
}
