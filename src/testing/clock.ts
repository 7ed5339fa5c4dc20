import type { Clock } from "../domain/time.ts";
import type { ClockAdvance, Instant, TestClock } from "./petstore.ts";

const MILLISECONDS: Record<keyof ClockAdvance, number> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

/** A clock that runs as another one does, until it is moved or stopped. */
export class MovableClock implements TestClock {
  readonly #source: Clock;
  readonly #start: number | undefined;
  /** What it showed when the source showed `#since`, both in Unix ms. */
  #shown = 0;
  #since = 0;
  #isFrozen = false;

  /** `start`: its time at first, in Unix ms; by default the source's. */
  constructor(source: Clock, start?: number) {
    this.#source = source;
    this.#start = start;
    this.reset();
  }

  /** Its time in Unix ms. */
  readonly read: Clock = () => this.#timeWhen(this.#source());

  now(): Date {
    return new Date(this.read());
  }

  advance(by: ClockAdvance): void {
    if (typeof by !== "object" || by === null)
      throw new TypeError("clock.advance: name a unit, as in { seconds: 60 }.");
    let distance = 0;
    for (const [unit, count] of Object.entries(by)) {
      if (count === undefined) continue;
      const length = Object.hasOwn(MILLISECONDS, unit) ? MILLISECONDS[unit as keyof ClockAdvance] : undefined;
      if (length === undefined) throw new TypeError(`clock.advance: there is no unit ${unit}; use seconds, or days.`);
      if (!(count >= 0 && Number.isFinite(count))) throw new TypeError(`clock.advance: ${unit} must be 0 or more.`);
      distance += count * length;
    }
    const source = this.#source();
    this.#show(this.#timeWhen(source) + Math.round(distance), source);
  }

  set(to: Instant): void {
    this.#show(unixTime(to, "clock.set: the time"), this.#source());
  }

  freeze(): void {
    const source = this.#source();
    this.#show(this.#timeWhen(source), source);
    this.#isFrozen = true;
  }

  /** Starts it again, as at first. */
  reset(): void {
    const source = this.#source();
    this.#isFrozen = false;
    this.#show(this.#start ?? source, source);
  }

  /** Its time when the source shows `source`. A move reads the source once, or it would lose what passes between. */
  #timeWhen(source: number): number {
    return this.#isFrozen ? this.#shown : this.#shown + source - this.#since;
  }

  /** @throws TypeError when `time` is out of range */
  #show(time: number, source: number): void {
    unixTime(time, "clock: the time");
    this.#shown = time;
    this.#since = source;
  }
}

/** The years whose days, and those after them, RFC 3339 and Unix time can write. */
const MIN_TIME = 0;
const MAX_TIME = Date.UTC(9999, 0) - 1;

/** What an instant must be. */
export const INSTANT_RULE =
  "must be a Date, a text such as 2030-12-05T00:00:00Z, or Unix milliseconds, from 1970 to 9998";

/** A point in time in Unix ms. @throws TypeError, which begins with `what`, when it is not one */
export function unixTime(instant: Instant, what: string): number {
  const time = instant === null ? Number.NaN : new Date(instant).getTime();
  if (time >= MIN_TIME && time <= MAX_TIME) return time;
  throw new TypeError(`${what} ${INSTANT_RULE}.`);
}
