import { type Plan, plans } from "../limits/plans.ts";

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

  increment(plan: Plan | undefined, column: number): void {
    const i = indexOf[plan ?? "none"] * this.#columns + column;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
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
