import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Point, pointsOf } from "../../domain/usage/point.ts";
import { lastOf, startOf } from "../../domain/usage/resolution.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import { PastHours } from "./past-hours.ts";
import type { UsageLog } from "./usage-log.ts";

const HOURS = 24;
/** How often a store that is a network away is read at most, until nothing was written meanwhile. */
const MAX_TRIES = 3;
/** So long after an hour's end its requests are in the store, unless a process could not write them, in ms. */
const WRITTEN_AFTER = 30_000;

/** The statistics of single keys: those in the store, and those that this process has yet to write. */
export class KeyUsage {
  readonly #log: UsageLog;
  readonly #store: UsageStore;
  readonly #past = new PastHours();
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
    const points = this.#lastDay(keyId, now);
    if (!(points instanceof Promise)) return points;
    const read = points.finally(() => this.#pending.delete(keyId));
    this.#pending.set(keyId, read);
    return read;
  }

  /** Past hours are kept once this process has written all its requests in them: it then adds nothing to them any more. */
  #lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const end = startOf("hour", now - WRITTEN_AFTER);
    const isPastWritten = this.#log.oldest >= end;
    const past = isPastWritten ? this.#past.get(keyId, end, now) : [];
    const hours = lastOf("hour", HOURS, now).slice(past.length);
    return after(this.#read(keyId, hours, MAX_TRIES), (points) => {
      if (past.length > 0) return [...past, ...points];
      if (isPastWritten) this.#past.set(keyId, { end, points: points.filter(({ at }) => at < end), readAt: now });
      return points;
    });
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
