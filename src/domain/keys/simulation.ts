import { invalidField } from "../errors.ts";
import { randomAt } from "../random.ts";

/** Which requests of a key get the answer: the next ones, one in `every`, or a share that the seed selects. */
export type Schedule = { next: number } | { every: number } | { percent: number; seed: number };

/** The largest `next` and `every`. */
export const MAX_REQUESTS = 1_000_000;

export const MAX_SCHEDULE_SEED = 2 ** 32 - 1;

/** Whether the request at `position`, from 1, gets the answer. */
export function applies(schedule: Schedule, position: number): boolean {
  if ("next" in schedule) return position <= schedule.next;
  if ("every" in schedule) return position % schedule.every === 0;
  return randomAt(schedule.seed, position) < schedule.percent / 100;
}

/** The position of the request that ends a script; undefined when only an operator ends it. */
export function lastPosition(schedule: Schedule): number | undefined {
  return "next" in schedule ? schedule.next : undefined;
}

/** The fields of a schedule, as a request or a command has them. */
export type ScheduleFields = Partial<Record<"next" | "every" | "percent" | "seed", number | undefined>>;

/** Returns the schedule that the fields name. @throws validation_failed unless they name exactly one */
export function scheduleOf({ next, every, percent, seed }: ScheduleFields): Schedule {
  const given = Object.entries({ next, every, percent }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (given.length === 0) throw invalidField("next", "is required, or else every or percent");
  if (given.length > 1) throw invalidField(given.at(1) ?? "", `must not be given together with ${given.at(0)}`);
  if (seed !== undefined && percent === undefined) throw invalidField("seed", "is for percent only");
  if (next !== undefined) return { next };
  if (every !== undefined) return { every };
  return { percent: percent ?? 0, seed: seed ?? 0 };
}

export function scheduleText({
  next,
  every,
  percent,
  seed,
}: Partial<Record<keyof ScheduleFields, number | null | undefined>>): string {
  const formatted = (count: number) => count.toLocaleString("en");
  if (next != null) return next === 1 ? "the next request" : `the next ${formatted(next)} requests`;
  if (every != null) return every === 1 ? "every request" : `1 in ${formatted(every)} requests`;
  return `${percent} % of requests (seed ${seed})`;
}

/** What an operator has a key's requests answered with, for clients whose requests cannot be changed. */
export type SimulationScript = {
  /** A value of the header Petstore-Simulate in its normal form. */
  answer: string;
  schedule: Schedule;
  /** Unix milliseconds. */
  startedAt: number;
  requests: number;
};
