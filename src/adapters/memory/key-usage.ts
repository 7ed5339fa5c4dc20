import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Point, pointsOf } from "../../domain/usage/point.ts";
import { lastOf } from "../../domain/usage/resolution.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import type { UsageBuffer } from "./usage-buffer.ts";

const HOURS = 24;
/** Attempts to read a remote store without a concurrent write. */
const MAX_TRIES = 3;

/** The usage of a key: the sum of the store and of the counts that this process has yet to write. */
export class KeyUsage {
  readonly #buffer: UsageBuffer;
  readonly #store: UsageStore;
  /** Concurrent requests for a key share one read, because these requests are not limited. */
  readonly #pending = new Map<string, Promise<Point[]>>();

  constructor(buffer: UsageBuffer, store: UsageStore) {
    this.#buffer = buffer;
    this.#store = store;
  }

  /** Returns the last 24 hours up to the one that contains `now` (Unix ms), oldest first. @throws service_unavailable */
  lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const pending = this.#pending.get(keyId);
    if (pending !== undefined) return pending;
    const points = this.#read(keyId, lastOf("hour", HOURS, now), MAX_TRIES);
    if (!(points instanceof Promise)) return points;
    const read = points.finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, read);
    return read;
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
