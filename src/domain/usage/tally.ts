import { BUCKETS, bucketOf } from "./latency.ts";
import type { Answered } from "./recorder.ts";
import { lengthOf, startOf } from "./resolution.ts";

/** Classes of status codes. 429 has its own class and is not in 4xx. */
export const statusClasses = ["2xx", "4xx", "429", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** The counts of one operation: its requests in the order of `statusClasses`, then the bans that they began. */
export type Counts = number[];
const BANS = statusClasses.length;

/** The counts of each operation, by its id. */
export type ByOperation = Map<string, Counts>;

/** The key id for requests without a valid key. */
const ANONYMOUS = "";

/**
 * The usage in the minute that begins at `minute` (Unix ms): the counts of each operation by key, and the number of
 * requests in each latency bucket.
 */
export type Tally = { minute: number; byKey: Map<string, ByOperation>; latency: Uint32Array };

export function newTally(at: number): Tally {
  return { minute: startOf("minute", at), byKey: new Map(), latency: new Uint32Array(BUCKETS) };
}

/** Whether `at` (Unix ms) is in the tally's minute. */
export function covers({ minute }: Tally, at: number): boolean {
  return at >= minute && at < minute + lengthOf.minute;
}

/** Counts a request. Each request waits for this: keep it fast. */
export function count({ byKey, latency }: Tally, request: Answered): void {
  const counts = countsIn(operationsIn(byKey, request.keyId ?? ANONYMOUS), request.operation);
  increment(counts, columnOf(request.status));
  if (request.decision?.beginsBan) increment(counts, BANS);
  increment(latency, bucketOf(request.duration));
}

function operationsIn(byKey: Tally["byKey"], keyId: string): ByOperation {
  const known = byKey.get(keyId) ?? new Map<string, Counts>();
  if (known.size === 0) byKey.set(keyId, known);
  return known;
}

function countsIn(byOperation: ByOperation, operation: string): Counts {
  let counts = byOperation.get(operation);
  if (counts === undefined) {
    counts = [0, 0, 0, 0, 0];
    byOperation.set(operation, counts);
  }
  return counts;
}

function increment(counts: Counts | Uint32Array, i: number): void {
  counts[i] = (counts[i] ?? 0) + 1;
}

function columnOf(status: number): number {
  if (status < 400) return 0;
  if (status >= 500) return 3;
  return status === 429 ? 2 : 1;
}

/** Adds the counts of `more`, of any minute, to `tally`. */
export function merge(tally: Tally, more: Tally): void {
  for (const [keyId, byOperation] of more.byKey) addAll(operationsIn(tally.byKey, keyId), byOperation);
  add(tally.latency, more.latency);
}

function addAll(byOperation: ByOperation, more: ByOperation): void {
  for (const [operation, counts] of more) add(countsIn(byOperation, operation), counts);
}

function add(counts: Counts | Uint32Array, more: Counts | Uint32Array): void {
  for (const [i, count] of more.entries()) counts[i] = (counts[i] ?? 0) + count;
}

/** The counts of each key that was used, by key id, ascending. */
export function keysOf({ byKey }: Tally): [keyId: string, ByOperation][] {
  return [...byKey].filter(([keyId]) => keyId !== ANONYMOUS).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The counts of all keys and anonymous clients together. */
export function totalOf({ byKey }: Tally): ByOperation {
  const sum: ByOperation = new Map();
  for (const byOperation of byKey.values()) addAll(sum, byOperation);
  return sum;
}

/** Splits the tally into parts of at most `maxKeys` keys. */
export function* partsOf({ minute, byKey, latency }: Tally, maxKeys: number): Generator<Tally> {
  const keys = [...byKey];
  for (let i = 0; i < keys.length; i += maxKeys) {
    const part = new Map(keys.slice(i, i + maxKeys));
    yield { minute, byKey: part, latency: i === 0 ? latency : new Uint32Array(BUCKETS) };
  }
}
