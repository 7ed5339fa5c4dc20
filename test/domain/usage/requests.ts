import fc from "fast-check";
import type { Decision } from "../../../src/domain/limits/limits.ts";
import {
  type Answered,
  bucketOf,
  type LatencyRow,
  lengthOf,
  type Resolution,
  TOTAL,
  type UsageRow,
} from "../../../src/domain/usage/counting.ts";

const window = { name: "minute" as const, seconds: 60, limit: 1, remaining: 0, resetAt: 0 };

function decisionThat(beginsBan: boolean): Decision {
  return { outcome: beginsBan ? "key_banned" : "allowed", now: 0, shown: window, windows: [window], beginsBan };
}

export const keyIds = ["key_1", "key_2", "key_\u00e9"];

/** Requests of some three days from `start` (Unix ms), many of them in the same minute. */
export function requestsFrom(start: number): fc.Arbitrary<Answered[]> {
  const request = fc.record({
    keyId: fc.constantFrom(undefined, ...keyIds),
    operation: fc.constantFrom("listPets", "createPet", "getPet", "other"),
    method: fc.constantFrom("GET", "POST"),
    status: fc.constantFrom(200, 201, 204, 400, 401, 403, 404, 405, 410, 413, 415, 429, 500, 503),
    duration: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1e6, noNaN: true })),
    at: fc
      .oneof(fc.nat(130_000), fc.nat(3 * 3_600_000), fc.nat(3 * 86_400_000))
      .map((milliseconds) => start + milliseconds),
    decision: fc.boolean().map(decisionThat),
  });
  return fc.array(request, { maxLength: 60, size: "max" });
}

/** The beginning of what `at` is in. */
function begin(resolution: Resolution, at: number): number {
  return Math.floor(at / lengthOf[resolution]) * lengthOf[resolution];
}

/** The usage of a key, or of all clients, that a store must return for these requests, counted one by one. */
export function usageOf(requests: Answered[], who: string, resolution: Resolution): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { keyId, operation, status, at, decision } of requests) {
    if (who !== TOTAL && keyId !== who) continue;
    const beginning = begin(resolution, at);
    const name = `${beginning} ${operation}`;
    const row = rows.get(name) ?? { resolution, at: beginning, who, operation, counts: [0, 0, 0, 0, 0] };
    const column = status < 400 ? 0 : status === 429 ? 2 : status < 500 ? 1 : 3;
    row.counts = row.counts.map((count, i) => count + (i === column || (i === 4 && decision?.beginsBan) ? 1 : 0));
    rows.set(name, row);
  }
  return inOrder([...rows.values()]);
}

/** The same of how long their answers took. */
export function latencyOf(requests: Answered[], resolution: Resolution): LatencyRow[] {
  const rows = new Map<string, LatencyRow>();
  for (const { at, duration } of requests) {
    const [beginning, bucket] = [begin(resolution, at), bucketOf(duration)];
    const row = rows.get(`${beginning} ${bucket}`) ?? { resolution, at: beginning, bucket, count: 0 };
    rows.set(`${beginning} ${bucket}`, { ...row, count: row.count + 1 });
  }
  return inOrder([...rows.values()]);
}

/** Rows as they can be compared: no store has an order of them. */
export function inOrder<Row extends { at: number; operation?: string; bucket?: number }>(rows: Row[]): Row[] {
  const nameOf = ({ at, operation, bucket }: Row) => `${at} ${operation} ${bucket}`;
  return rows.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Every beginning of this resolution that such requests can be in. */
export function momentsFrom(start: number, resolution: Resolution): number[] {
  const [first, length] = [begin(resolution, start), lengthOf[resolution]];
  return Array.from({ length: Math.ceil((4 * 86_400_000) / length) }, (_, i) => first + i * length);
}
