import { type RateLimits, type RateLimitWindow, reportsIn } from "./limits.ts";

/** A window whose end lies between `earliest` and `latest` (Unix ms). */
type Window = { limit: number; remaining: number; earliest: number; latest: number };

/** Tracks a key's windows by the responses so far, which may arrive in any order. */
export class LimitTracker {
  readonly #windows = new Map<string, Window>();
  /** Whether the last response had no limit headers. */
  #isUnreported = false;
  /** Requests without a response since the last response to a request sent after them; and when the last of them ended. */
  #lost = 0;
  #lostAt = 0;

  /** Updates the windows by a response. `sent` and `now` are when its request was sent and when it arrived (Unix ms). */
  update(headers: Headers, sent: number, now: number): void {
    const reports = reportsIn(headers, now);
    this.#isUnreported = reports.length === 0;
    if (sent >= this.#lostAt) this.#lost = 0;
    for (const [name, { latest }] of this.#windows) if (now >= latest) this.#windows.delete(name);
    for (const { name, limit, remaining, seconds } of reports) {
      const reported = { limit, remaining, earliest: sent + (seconds - 1) * 1000, latest: now + seconds * 1000 };
      const known = this.#windows.get(name);
      if (known === undefined || reported.earliest > known.latest) this.#windows.set(name, reported);
      else if (reported.latest >= known.earliest) this.#windows.set(name, merged(known, reported));
    }
  }

  /** Records a request that ended at `now` (Unix ms) without a response: the service may or may not have counted it. */
  recordLost(now: number): void {
    this.#lost += 1;
    this.#lostAt = now;
  }

  /**
   * Returns when the next request may be sent (Unix ms), while `inFlight` others are: at once if that is not later than
   * `now`; after a response to one of them if that is Infinity. While the state of the window is unknown, or lost
   * requests may have been counted, only one request is in flight.
   */
  nextSendAt(inFlight: number, now: number): number {
    const first = inFlight === 0 ? now : Number.POSITIVE_INFINITY;
    const taken = inFlight + this.#lost;
    if (this.#windows.size === 0) return this.#isUnreported ? now : first;
    const times = [...this.#windows.values()].map(({ remaining, latest }) => {
      if (now >= latest) return first;
      if (remaining > taken) return now;
      return remaining > 0 ? first : latest;
    });
    return Math.max(...times);
  }

  /** Whether the calls wait for the limit per day. */
  get isDayUsedUp(): boolean {
    return this.#windows.get("day")?.remaining === 0;
  }

  /** The limits in the last responses. */
  get limits(): RateLimits {
    const state = ([name, { limit, remaining, latest }]: [string, Window]): [string, RateLimitWindow] => [
      name,
      { limit, remaining, resetAt: new Date(latest) },
    ];
    return Object.fromEntries([...this.#windows].map(state));
  }
}

/** Merges two reports on one window: fewer remaining requests win, unless the limit changed; its end is in both ranges. */
function merged(known: Window, reported: Window): Window {
  return {
    limit: reported.limit,
    remaining: known.limit === reported.limit ? Math.min(known.remaining, reported.remaining) : reported.remaining,
    earliest: Math.max(known.earliest, reported.earliest),
    latest: Math.min(known.latest, reported.latest),
  };
}
