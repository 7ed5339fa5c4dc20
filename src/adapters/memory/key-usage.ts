import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type LastDay, type Point, pointsOf } from "../../domain/usage/point.ts";
import { lastOf, startOf } from "../../domain/usage/resolution.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import { PastHours } from "./past-hours.ts";
import type { UsageBuffer } from "./usage-buffer.ts";

const HOURS = 24;
/** Attempts to read a remote store without a concurrent write. */
const MAX_TRIES = 3;
/** So long after an hour's end its requests are in the store, unless a process could not write them, in ms. */
const WRITTEN_AFTER = 30_000;

/** The usage of a key: the sum of the store and of the counts that this process has yet to write. */
export class KeyUsage {
  readonly #buffer: UsageBuffer;
  readonly #store: UsageStore;
  readonly #past = new PastHours();
  /** Concurrent requests for a key share one read. */
  readonly #pending = new Map<string, Promise<LastDay>>();

  constructor(buffer: UsageBuffer, store: UsageStore) {
    this.#buffer = buffer;
    this.#store = store;
  }

  /** Returns the last 24 hours up to the one that contains `now` (Unix ms). @throws service_unavailable */
  lastDay(keyId: string, now: number): Awaitable<LastDay> {
    const pending = this.#pending.get(keyId);
    if (pending !== undefined) return pending;
    const day = this.#lastDay(keyId, now);
    if (!(day instanceof Promise)) return day;
    const read = day.finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, read);
    return read;
  }

  /** Past hours are cached once this process has written all its requests in them: later it adds nothing to them. */
  #lastDay(keyId: string, now: number): Awaitable<LastDay> {
    const end = startOf("hour", now - WRITTEN_AFTER);
    const isPastWritten = this.#buffer.oldest >= end;
    const hours = lastOf("hour", HOURS, now);
    const kept = isPastWritten ? this.#past.get(keyId, end, now) : undefined;
    const past = since(hours[0] ?? 0, kept?.points ?? []);
    return after(this.#read(keyId, hours.slice(past.length), MAX_TRIES), (read) => {
      if (!isPastWritten || (kept?.end === end && kept.points === past)) return { past, recent: read };
      const points = [...past, ...read];
      const recent = points.filter(({ at }) => at >= end);
      const entry = { end, points: points.slice(0, points.length - recent.length), readAt: kept?.readAt ?? now };
      this.#past.set(keyId, entry);
      return { past: entry.points, recent };
    });
  }

  /** A write during the read could hide a request or count it twice, so it reads again. */
  #read(keyId: string, hours: number[], tries: number): Awaitable<Point[]> {
    const { rotations, isWriting } = this.#buffer;
    const stored = this.#store.usageOf(keyId, { hour: hours });
    const isImmediate = !(stored instanceof Promise);
    return after(stored, (rows) => {
      const isExact = isImmediate || (!isWriting && rotations === this.#buffer.rotations);
      if (!isExact && tries > 1) return this.#read(keyId, hours, tries - 1);
      return pointsOf(hours, [...rows, ...this.#buffer.pendingOf(keyId, "hour")]);
    });
  }
}

/** The points from `start` (Unix ms): the day may have moved on by an hour since they were read. */
function since(start: number, points: readonly Point[]): readonly Point[] {
  const [first] = points;
  return first === undefined || first.at >= start ? points : points.filter(({ at }) => at >= start);
}
