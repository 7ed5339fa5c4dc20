import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Point, pointsOf } from "../../domain/usage/point.ts";
import { lastOf } from "../../domain/usage/resolution.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import type { UsageLog } from "./usage-log.ts";

const HOURS = 24;
/** How often a store that is a network away is read at most, until nothing was written meanwhile. */
const MAX_TRIES = 3;

/** The statistics of single keys: those in the store, and those that this process has yet to write. */
export class KeyUsage {
  readonly #log: UsageLog;
  readonly #store: UsageStore;
  /** Reading is free for clients: requests for the same key at the same time share one read. */
  readonly #pending = new Map<string, Promise<Point[]>>();

  constructor(log: UsageLog, store: UsageStore) {
    this.#log = log;
    this.#store = store;
  }

  /** The 24 hours up to the one that `now` (Unix ms) is in, oldest first. @throws service_unavailable */
  lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const pending = this.#pending.get(keyId);
    if (pending !== undefined) return pending;
    const points = this.#read(keyId, lastOf("hour", HOURS, now), MAX_TRIES);
    if (!(points instanceof Promise)) return points;
    const read = points.finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, read);
    return read;
  }

  /** A request is either in the store or yet to be written, unless something is written during the read: then it reads again. */
  #read(keyId: string, hours: number[], tries: number): Awaitable<Point[]> {
    const { rotations, isWriting } = this.#log;
    const stored = this.#store.usageOf(keyId, "hour", hours);
    const isImmediate = !(stored instanceof Promise);
    return after(stored, (rows) => {
      const isExact = isImmediate || (!isWriting && rotations === this.#log.rotations);
      if (!isExact && tries > 1) return this.#read(keyId, hours, tries - 1);
      return pointsOf(hours, [...rows, ...this.#log.pendingOf(keyId, "hour")]);
    });
  }
}
