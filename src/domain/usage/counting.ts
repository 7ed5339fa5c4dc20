import { type Decision, type Plan, plans } from "../limits/limits.ts";
import type { Simulation } from "../simulation.ts";

/** The counts of one operation: its requests in the order of `statusClasses`, then the bans that they began. */
export type Counts = number[];

const COLUMNS = 5;

/** Counts of keys, by their ids, in one array of numbers: an object for each key would take several times the memory. */
export class CountTable {
  /** Where the counts of each key begin. */
  readonly #offsets = new Map<string, number>();
  #counts = new Uint32Array(COLUMNS * 8);

  get keyIds(): Iterable<string> {
    return this.#offsets.keys();
  }

  increment(keyId: string, column: number, by = 1): void {
    const i = this.#offsetOf(keyId) + column;
    this.#counts[i] = (this.#counts[i] ?? 0) + by;
  }

  add(keyId: string, counts: Counts): void {
    const offset = this.#offsetOf(keyId);
    for (const [i, count] of counts.entries()) this.#counts[offset + i] = (this.#counts[offset + i] ?? 0) + count;
  }

  get(keyId: string): Counts | undefined {
    const offset = this.#offsets.get(keyId);
    return offset === undefined ? undefined : [...this.#counts.subarray(offset, offset + COLUMNS)];
  }

  sumOf(keyIds: Iterable<string>): Counts {
    const sum = new Array<number>(COLUMNS).fill(0);
    for (const keyId of keyIds) {
      const offset = this.#offsets.get(keyId) ?? Number.NaN;
      for (let i = 0; i < COLUMNS; i++) sum[i] = (sum[i] ?? 0) + (this.#counts[offset + i] ?? 0);
    }
    return sum;
  }

  #offsetOf(keyId: string): number {
    let offset = this.#offsets.get(keyId);
    if (offset === undefined) {
      offset = this.#offsets.size * COLUMNS;
      this.#offsets.set(keyId, offset);
      if (offset >= this.#counts.length) this.#grow();
    }
    return offset;
  }

  #grow(): void {
    const grown = new Uint32Array(this.#counts.length * 2);
    grown.set(this.#counts);
    this.#counts = grown;
  }
}

/** The upper bound of the first bucket in ms. Each further bound is a quarter of an octave (19 %) larger. */
const FIRST = 2 ** -8;
const PER_OCTAVE = 4;

/** The number of buckets. The last one holds everything above 23 s. */
export const BUCKETS = 92;

/** The bucket that a duration (ms) belongs to. */
export function bucketOf(duration: number): number {
  if (!(duration > FIRST)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(duration / FIRST) * PER_OCTAVE));
}

export type BucketCount = { bucket: number; count: number };

/**
 * The duration (ms) that the fraction `share` (0 to 1) of the requests did not exceed, with an error of less than 19 %,
 * the width of a bucket. Undefined without requests.
 */
export function percentile(buckets: Iterable<BucketCount>, share: number): number | undefined {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const { bucket, count } of buckets) counts[bucket] = (counts[bucket] ?? 0) + count;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let rank = Math.max(1, share * total);
  for (const [bucket, count] of counts.entries()) {
    if (rank <= count) return FIRST * 2 ** ((bucket - 1 + rank / count) / PER_OCTAVE);
    rank -= count;
  }
  return FIRST * 2 ** ((BUCKETS - 1) / PER_OCTAVE);
}

/** The plans that usage is counted by. `none` has the requests without a valid key. */
export const countedPlans = [...plans, "none"] as const;
export type CountedPlan = (typeof countedPlans)[number];

const indexOf = Object.fromEntries(countedPlans.map((plan, i) => [plan, i])) as Record<CountedPlan, number>;

/** Counts by plan, in `columns` columns, in one array of numbers. Each request waits for `increment`. */
export class PlanCounts {
  readonly #columns: number;
  readonly #counts: Float64Array;

  constructor(columns: number) {
    this.#columns = columns;
    this.#counts = new Float64Array(columns * countedPlans.length);
  }

  increment(plan: Plan | undefined, column: number, by = 1): void {
    const i = indexOf[plan ?? "none"] * this.#columns + column;
    this.#counts[i] = (this.#counts[i] ?? 0) + by;
  }

  /** Adds the counts of `more`, which has the same columns. */
  add(more: PlanCounts): void {
    for (const [i, count] of more.#counts.entries()) this.#counts[i] = (this.#counts[i] ?? 0) + count;
  }

  get(plan: CountedPlan): number[] {
    const start = indexOf[plan] * this.#columns;
    return [...this.#counts.subarray(start, start + this.#columns)];
  }
}

/** The operation of requests that match none, such as wrong paths and preflights. */
export const OTHER = "other";
/** The operation in whose place the usage of simulated requests is counted. */
export const SIMULATED = "simulated";

/** A request under /v1 and the status of its response. */
export type Answered = {
  /** Undefined without a valid key. */
  keyId: string | undefined;
  /** The plan of its key at this time. */
  plan?: Plan | undefined;
  /** The id of its operation, or `OTHER`. */
  operation: string;
  method: string;
  status: number;
  /** From its arrival until its response was created, in ms. */
  duration: number;
  /** The time of its response in Unix milliseconds. */
  at: number;
  /** What the limits decided; undefined where the request was not counted. */
  decision: Decision | undefined;
  /** How many requests it counted as; 1 if undefined. */
  cost?: number | undefined;
  simulation?: Simulation | undefined;
};

/** Records every request under /v1 once, after its response was created. Each request waits for this: keep it fast. */
export interface RequestRecorder {
  record(request: Answered): void;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The resolutions of usage, in UTC. */
export const resolutions = ["minute", "hour", "day"] as const;
export type Resolution = (typeof resolutions)[number];

/** Minutes, hours and days, by their starts (Unix ms). */
export type Moments = Partial<Record<Resolution, readonly number[]>>;

/** The length of each resolution in ms, which also identifies it in the store. */
export const lengthOf = { minute: MINUTE, hour: HOUR, day: DAY } as const satisfies Record<Resolution, number>;

/** How long usage is kept, in ms. */
export const retention = { minute: 30 * DAY, hour: 90 * DAY, day: 400 * DAY } as const satisfies Record<
  Resolution,
  number
>;

/** The start of the minute, hour or day that contains `at` (both Unix milliseconds). */
export function startOf(resolution: Resolution, at: number): number {
  return at - (at % lengthOf[resolution]);
}

/** The starts of the last `count` minutes, hours or days, oldest first, up to the one that contains `now`. */
export function lastOf(resolution: Resolution, count: number, now: number): number[] {
  const last = startOf(resolution, now);
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * lengthOf[resolution]);
}

/** Classes of status codes. 429 has its own class and is not in 4xx. */
export const statusClasses = ["2xx", "4xx", "429", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** The column of bans in `Counts`, the last one. */
const BANS = statusClasses.length;

/** The key id for requests without a valid key. */
const ANONYMOUS = "";

/**
 * The usage in the minute that begins at `minute` (Unix ms): the counts of each key by operation, the counts of
 * each plan, and the number of requests in each latency bucket.
 */
export type Tally = { minute: number; byOperation: Map<string, CountTable>; byPlan: PlanCounts; latency: Uint32Array };

/** Some keys of an operation, by id, ascending, and a table with their counts. */
type Counted = { operation: string; keyIds: string[]; table: CountTable };

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
 * Counts a request, as many times as in its limits; its latency once. Each request waits for this: keep it fast. Simulated ones
 * are counted apart, without their plan and their latency.
 */
export function count(tally: Tally, request: Answered): void {
  const isSimulated = request.simulation !== undefined;
  const table = tableOf(tally, isSimulated ? SIMULATED : request.operation);
  const keyId = request.keyId ?? ANONYMOUS;
  const column = columnOf(request.status);
  table.increment(keyId, column, request.cost);
  const beginsBan = request.decision?.beginsBan ?? false;
  if (beginsBan) table.increment(keyId, BANS);
  if (isSimulated) return;
  tally.byPlan.increment(request.plan, column, request.cost);
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

/** Used instead of a key's id for the total over all keys and anonymous clients. */
export const TOTAL = "*";
/** The operation in rows of a plan, which are not by operation. */
const ALL_OPERATIONS = "*";

/** Used instead of a key's id for the total over the requests that were on a plan when they were answered. */
export const totalOf = (plan: CountedPlan): string => `${TOTAL}${plan}`;

export const planOf = (who: string): CountedPlan | undefined => countedPlans.find((plan) => who === totalOf(plan));

/** The usage of one operation by a key or by all clients (`TOTAL`), or of a plan, in the minute, hour or day that begins at `at` (Unix ms). */
export type UsageRow = { resolution: Resolution; at: number; who: string; operation: string; counts: Counts };

/** The number of requests in a latency bucket, in the minute, hour or day that begins at `at` (Unix ms). */
export type LatencyRow = { resolution: Resolution; at: number; bucket: number; count: number };

/** The rows to add to the minute, hour and day of a tally: each row once, in the same order on all nodes. */
export type RollUp = { usage: UsageRow[]; latency: LatencyRow[] };

/** Adds to minutes, hours and days in one write, so that they always agree. */
export function rollUp({ minute, counted, byPlan, latency }: TallyPart): RollUp {
  const rows = [...countsOfPlans(byPlan), ...counted.flatMap(countsIn)];
  const buckets = [...latency.entries()].filter(([, count]) => count > 0);
  return {
    usage: resolutions.flatMap((resolution) => {
      const at = startOf(resolution, minute);
      return rows.map(({ who, operation, counts }) => ({ resolution, at, who, operation, counts }));
    }),
    latency: resolutions.flatMap((resolution) =>
      buckets.map(([bucket, count]) => ({ resolution, at: startOf(resolution, minute), bucket, count })),
    ),
  };
}

/** The total of an operation, which includes anonymous clients, then the counts of its keys. */
function countsIn({ operation, keyIds, table }: Counted): Pick<UsageRow, "who" | "operation" | "counts">[] {
  const named = keyIds.filter((keyId) => keyId !== ANONYMOUS);
  return [
    { who: TOTAL, operation, counts: table.sumOf(keyIds) },
    ...named.map((who) => ({ who, operation, counts: table.get(who) ?? [] })),
  ];
}

function countsOfPlans(byPlan: PlanCounts): Pick<UsageRow, "who" | "operation" | "counts">[] {
  return countedPlans
    .map((plan) => ({ who: totalOf(plan), operation: ALL_OPERATIONS, counts: byPlan.get(plan) }))
    .filter(({ counts }) => counts.some((count) => count > 0));
}
