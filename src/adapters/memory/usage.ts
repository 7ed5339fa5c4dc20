import { type Awaitable, after } from "../../domain/awaitable.ts";
import {
  type Answered,
  type CountTable,
  count,
  covers,
  lastOf,
  merge,
  newTally,
  partsOf,
  type RequestRecorder,
  type Resolution,
  rollUp,
  startOf,
  type Tally,
  type TallyPart,
  type UsageRow,
} from "../../domain/usage/counting.ts";
import { type LastDay, type Point, pointsOf, type UsageStore, type UsageWrite } from "../../domain/usage/reading.ts";

/** The keys of one write, which blocks the process and SQLite for one or two milliseconds. */
const KEYS_PER_WRITE = 200;
/** While nothing can be written, this many minutes are kept; older ones are summed by hour. */
const MAX_MINUTES = 60;

/** Counts requests in memory until they are written to the store. */
export class UsageBuffer implements RequestRecorder {
  /** How often `rotate` created writes. */
  rotations = 0;
  /** The number of counts by key, minute and operation that the last `rotate` turned into writes. */
  rowsOfRotation = 0;
  readonly #writer: string;
  #number = 0;
  #current: Tally = newTally(0);
  /** Earlier minutes that are not in a write yet, and sums of older ones by hour. */
  #earlier: Tally[] = [];
  #hours = new Map<number, Tally>();
  /** The pending writes, in order. They do not change any more. */
  #writes: { number: number; part: TallyPart }[] = [];
  /** Whether reads of the store find the first of them already. */
  #isFirstVisible = false;

  /** `writer`: a unique name of this process. */
  constructor(writer: string) {
    this.#writer = writer;
  }

  record(request: Answered): void {
    if (!covers(this.#current, request.at)) this.#begin(request.at);
    count(this.#current, request);
  }

  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** Returns the start of the earliest minute with counts that are not written yet (Unix ms). */
  get oldest(): number {
    const unwritten = [...this.#writes.map(({ part }) => part), ...this.#counted()];
    return unwritten.reduce((oldest, { minute }) => Math.min(oldest, minute), Infinity);
  }

  /** Turns the counts so far into writes, unless writes are pending: so the number of writes stays bounded. */
  rotate(): void {
    if (this.isWriting) return;
    this.rotations += 1;
    this.rowsOfRotation = 0;
    for (const tally of this.#counted()) {
      for (const part of partsOf(tally, KEYS_PER_WRITE)) {
        this.#number += 1;
        for (const { keyIds } of part.counted) this.rowsOfRotation += keyIds.length;
        this.#writes.push({ number: this.#number, part });
      }
    }
    this.#current = newTally(this.#current.minute);
    this.#earlier = [];
    this.#hours.clear();
  }

  /** Returns the next write: the same one until `written` is called. */
  next(): UsageWrite | undefined {
    const [write] = this.#writes;
    return write && { ...rollUp(write.part), writer: this.#writer, number: write.number, at: write.part.minute };
  }

  /** Reads of the store find the write that `next` returned, which may not be durable yet. */
  visible(): void {
    this.#isFirstVisible = true;
  }

  /** Removes the write that `next` returned, after it succeeded. */
  written(): void {
    this.#writes.shift();
    this.#isFirstVisible = false;
  }

  /** Returns the counts of a key that reads of the store do not find yet, as rows of this resolution. */
  pendingOf(keyId: string, resolution: Resolution): UsageRow[] {
    const rows: UsageRow[] = [];
    const add = (minute: number, operation: string, table: CountTable) => {
      const counts = table.get(keyId);
      if (counts !== undefined)
        rows.push({ resolution, at: startOf(resolution, minute), who: keyId, operation, counts });
    };
    for (const { part } of this.#isFirstVisible ? this.#writes.slice(1) : this.#writes) {
      for (const { operation, keyIds, table } of part.counted) {
        if (keyIds.includes(keyId)) add(part.minute, operation, table);
      }
    }
    for (const { minute, byOperation } of this.#counted()) {
      for (const [operation, table] of byOperation) add(minute, operation, table);
    }
    return rows;
  }

  #begin(at: number): void {
    if (this.#current.byOperation.size > 0) this.#earlier.push(this.#current);
    this.#current = newTally(at);
    const oldest = this.#earlier.length > MAX_MINUTES ? this.#earlier.shift() : undefined;
    if (oldest !== undefined) this.#addToHour(oldest);
  }

  #addToHour(tally: Tally): void {
    const hour = startOf("hour", tally.minute);
    const sum = this.#hours.get(hour) ?? newTally(hour);
    this.#hours.set(hour, sum);
    merge(sum, tally);
  }

  #counted(): Tally[] {
    return [...this.#hours.values(), ...this.#earlier, this.#current].filter(({ byOperation }) => byOperation.size > 0);
  }
}

/** How long points are kept, in ms: what another process adds to them, after it could not write, shows so late at most. */
const KEPT_FOR = 3_600_000;
/** Some 15 kB each. */
const MOST_KEYS = 1_000;

/** Points of the hours that ended at `end` or before, the first of them read at `readAt` (both Unix ms). */
type Entry = { end: number; points: readonly Point[]; readAt: number };

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
