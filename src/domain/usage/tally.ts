import { CountTable } from "./count-table.ts";
import { BUCKETS, bucketOf } from "./latency.ts";
import { PlanCounts } from "./plan-counts.ts";
import { type Answered, SIMULATED } from "./recorder.ts";
import { lengthOf, startOf } from "./resolution.ts";

/** Classes of status codes. 429 has its own class and is not in 4xx. */
export const statusClasses = ["2xx", "4xx", "429", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** The column of bans in `Counts`, the last one. */
const BANS = statusClasses.length;

/** The key id for requests without a valid key. */
export const ANONYMOUS = "";

/**
 * The usage in the minute that begins at `minute` (Unix ms): the counts of each key by operation, the counts of
 * each plan, and the number of requests in each latency bucket.
 */
export type Tally = { minute: number; byOperation: Map<string, CountTable>; byPlan: PlanCounts; latency: Uint32Array };

/** Some keys of an operation, by id, ascending, and a table with their counts. */
export type Counted = { operation: string; keyIds: string[]; table: CountTable };

/** A part of a tally. */
export type TallyPart = { minute: number; counted: Counted[]; byPlan: PlanCounts; latency: Uint32Array };

export function newTally(at: number): Tally {
  return {
    minute: startOf("minute", at),
    byOperation: new Map(),
    byPlan: newPlanCounts(),
    latency: new Uint32Array(BUCKETS),
  };
}

function newPlanCounts(): PlanCounts {
  return new PlanCounts(BANS + 1);
}

/** Whether `at` (Unix ms) is in the tally's minute. */
export function covers({ minute }: Tally, at: number): boolean {
  return at >= minute && at < minute + lengthOf.minute;
}

/**
 * Counts a request. Each request waits for this: keep it fast. Simulated ones are counted apart, without their plan and
 * their latency.
 */
export function count(tally: Tally, request: Answered): void {
  const isSimulated = request.simulation !== undefined;
  const table = tableOf(tally, isSimulated ? SIMULATED : request.operation);
  const keyId = request.keyId ?? ANONYMOUS;
  const column = columnOf(request.status);
  table.increment(keyId, column);
  const beginsBan = request.decision?.beginsBan ?? false;
  if (beginsBan) table.increment(keyId, BANS);
  if (isSimulated) return;
  tally.byPlan.increment(request.plan, column);
  if (beginsBan) tally.byPlan.increment(request.plan, BANS);
  const bucket = bucketOf(request.duration);
  tally.latency[bucket] = (tally.latency[bucket] ?? 0) + 1;
}

function tableOf({ byOperation }: Tally, operation: string): CountTable {
  let table = byOperation.get(operation);
  if (table === undefined) {
    table = new CountTable();
    byOperation.set(operation, table);
  }
  return table;
}

/** The index of a status in `statusClasses`. */
export function columnOf(status: number): number {
  if (status < 400) return 0;
  if (status >= 500) return 3;
  return status === 429 ? 2 : 1;
}

/** Adds the counts of `more`, of any minute, to `tally`. */
export function merge(tally: Tally, more: Tally): void {
  for (const [operation, table] of more.byOperation) {
    const sum = tableOf(tally, operation);
    for (const keyId of table.keyIds) sum.add(keyId, table.get(keyId) ?? []);
  }
  tally.byPlan.add(more.byPlan);
  for (const [i, count] of more.latency.entries()) tally.latency[i] = (tally.latency[i] ?? 0) + count;
}

/**
 * Splits the tally into parts with the counts of at most `maxKeys` keys. In ascending order, because the rows of neighbours
 * are on the same pages of the store.
 */
export function partsOf({ minute, byOperation, byPlan, latency }: Tally, maxKeys: number): TallyPart[] {
  const parts: TallyPart[] = [];
  const first = { minute, byPlan, latency };
  const later = { minute, byPlan: newPlanCounts(), latency: new Uint32Array(BUCKETS) };
  let room = 0;
  for (const [operation, table] of [...byOperation].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...table.keyIds].sort();
    for (let i = 0; i < sorted.length; ) {
      if (room === 0) {
        parts.push({ ...(parts.length === 0 ? first : later), counted: [] });
        room = maxKeys;
      }
      const keyIds = sorted.slice(i, i + room);
      parts.at(-1)?.counted.push({ operation, keyIds, table });
      i += keyIds.length;
      room -= keyIds.length;
    }
  }
  return parts;
}
