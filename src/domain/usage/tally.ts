import { BUCKETS, bucketOf } from "./latency.ts";
import { type Answered, type Operation, operations } from "./recorder.ts";
import { lengthOf, startOf } from "./resolution.ts";

/** Answers by their status: 4xx is without 429, which tells of limits and nothing else. */
export const statusClasses = ["2xx", "4xx", "429", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** What is counted of one operation: its requests in the order of `statusClasses`, and the bans that began with one of them. */
export type Counts = number[];
const BANS = statusClasses.length;
const COUNTS = BANS + 1;

/** Under this name requests without a valid key are counted; no key has it for an id. */
const ANONYMOUS = "";

/**
 * What was counted in the minute that begins at `minute` (Unix ms): the counts of every operation, one after the other,
 * by key; and how many requests fell into each bucket of latency.
 */
export type Tally = { minute: number; byKey: Map<string, Uint32Array>; latency: Uint32Array };

export function newTally(at: number): Tally {
  return { minute: startOf("minute", at), byKey: new Map(), latency: new Uint32Array(BUCKETS) };
}

/** Whether `at` (Unix ms) is in the tally's minute. */
export function covers({ minute }: Tally, at: number): boolean {
  return at >= minute && at < minute + lengthOf.minute;
}

/** Counts one request: it is on the way of every one of them. */
export function count({ byKey, latency }: Tally, request: Answered): void {
  const keyId = request.keyId ?? ANONYMOUS;
  let counts = byKey.get(keyId);
  if (counts === undefined) {
    counts = noCounts();
    byKey.set(keyId, counts);
  }
  const first = operations.indexOf(request.operation) * COUNTS;
  increment(counts, first + columnOf(request.status));
  if (request.decision?.beginsBan) increment(counts, first + BANS);
  increment(latency, bucketOf(request.duration));
}

function noCounts(): Uint32Array {
  return new Uint32Array(operations.length * COUNTS);
}

function increment(counts: Uint32Array, i: number): void {
  counts[i] = (counts[i] ?? 0) + 1;
}

function columnOf(status: number): number {
  if (status < 400) return 0;
  if (status >= 500) return 3;
  return status === 429 ? 2 : 1;
}

/** Adds what `more` counted to `tally`, whatever minute it is of. */
export function merge(tally: Tally, more: Tally): void {
  for (const [keyId, counts] of more.byKey) {
    const known = tally.byKey.get(keyId);
    if (known === undefined) tally.byKey.set(keyId, counts.slice());
    else add(known, counts);
  }
  add(tally.latency, more.latency);
}

function add(counts: Uint32Array, more: Uint32Array): void {
  for (const [i, count] of more.entries()) counts[i] = (counts[i] ?? 0) + count;
}

/** The keys that were used, in the order of their ids, each with the counts of all its operations. */
export function keysOf({ byKey }: Tally): [keyId: string, Uint32Array][] {
  return [...byKey].filter(([keyId]) => keyId !== ANONYMOUS).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The same for all keys and strangers together. */
export function totalOf({ byKey }: Tally): Uint32Array {
  const sum = noCounts();
  for (const counts of byKey.values()) add(sum, counts);
  return sum;
}

/** The operations that were called, each with its own counts. */
export function* byOperation(counts: Uint32Array): Generator<[Operation, Counts]> {
  for (const [i, operation] of operations.entries()) {
    const own = [...counts.subarray(i * COUNTS, (i + 1) * COUNTS)];
    if (own.some((count) => count > 0)) yield [operation, own];
  }
}

/** The tally in parts of at most `most` keys, which together are the whole. */
export function* partsOf({ minute, byKey, latency }: Tally, most: number): Generator<Tally> {
  const keys = [...byKey];
  for (let i = 0; i < keys.length; i += most) {
    const part = new Map(keys.slice(i, i + most));
    yield { minute, byKey: part, latency: i === 0 ? latency : new Uint32Array(BUCKETS) };
  }
}
