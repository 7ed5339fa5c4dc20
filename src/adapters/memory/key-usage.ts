import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Point, pointsOf } from "../../domain/usage/point.ts";
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
  readonly #pending = new Map<string, Promise<Point[]>>();

  constructor(buffer: UsageBuffer, store: UsageStore) {
    this.#buffer = buffer;
    this.#store = store;
  }

  /** Returns the last 24 hours up to the one that contains `now` (Unix ms), oldest first. @throws service_unavailable */
  lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const pending = this.#pending.get(keyId);
    if (pending !== undefined) return pending;
    const points = this.#lastDay(keyId, now);
    if (!(points instanceof Promise)) return points;
    const read = points.finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, read);
    return read;
  }

  /** Past hours are cached once this process has written all its requests in them: later it adds nothing to them. */
  #lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const end = startOf("hour", now - WRITTEN_AFTER);
    const isPastWritten = this.#buffer.oldest >= end;
    const hours = lastOf("hour", HOURS, now);
    const kept = isPastWritten ? this.#past.get(keyId, end, now) : undefined;
    // The day may have moved on by an hour since they were read.
    const past = (kept?.points ?? []).filter(({ at }) => at >= (hours[0] ?? 0));
    return after(this.#read(keyId, hours.slice(past.length), MAX_TRIES), (read) => {
      const points = [...past, ...read];
      if (isPastWritten && kept?.end !== end) {
        this.#past.set(keyId, { end, points: points.filter(({ at }) => at < end), readAt: kept?.readAt ?? now });
      }
      return points;
    });
  }

  /** A write during the read could hide a request or count it twice, so it reads again. */
  #read(keyId: string, hours: number[], tries: number): Awaitable<Point[]> {
    const { rotations, isWriting } = this.#buffer;
    const stored = this.#store.usageOf(keyId, "hour", hours);
    const isImmediate = !(stored instanceof Promise);
    return after(stored, (rows) => {
      const isExact = isImmediate || (!isWriting && rotations === this.#buffer.rotations);
      if (!isExact && tries > 1) return this.#read(keyId, hours, tries - 1);
      return pointsOf(hours, [...rows, ...this.#buffer.pendingOf(keyId, "hour")]);
    });
  }
}
