import { useMemo } from "preact/hooks";
import type { Point, StatusClass } from "../api/answers.ts";
import { inShort } from "../words/number.ts";
import { Chart } from "./chart.tsx";
import type { Series } from "./stack.ts";

export const classes: [StatusClass, string, string][] = [
  ["2xx", "Answered", "answered"],
  ["4xx", "Caller’s mistake", "mistaken"],
  ["429", "Refused by limits", "refused"],
  ["5xx", "Failed", "failed"],
];

/** Which part of time is shown, and in which steps. */
export type Range = "hour" | "day" | "month";
export const stepOf = { hour: 60, day: 3_600, month: 86_400 } as const satisfies Record<Range, number>;
const stepsOf = { hour: 60, day: 24, month: 30 } as const satisfies Record<Range, number>;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" });

type UsageChartProps = { label: string; range: Range; points: Point[]; now: Date };

/** Requests by how they were answered: every minute of an hour, hour of a day or (UTC) day of a month. */
export function UsageChart({ label, range, points, now }: UsageChartProps) {
  const step = stepOf[range];
  const last = Math.floor(now.getTime() / 1000 / step) * step;
  const { times, series } = useMemo(() => filled(points, last, step, stepsOf[range]), [points, last, step, range]);
  const short = range === "month" ? dayOfMonth : clock;
  const long = { hour: clock, day: hourOfDay, month: wholeDay }[range];
  return (
    <Chart
      label={label}
      times={times}
      series={series}
      moment={(seconds) => long.format(seconds * 1000)}
      looks={{
        kind: "bars",
        span: [(times[0] ?? last) - step * 0.1, last + step],
        time: (seconds) => short.format(seconds * 1000),
        marks: { every: { hour: 300, day: 3_600, month: 86_400 }[range], offset: range === "month" ? 0 : zone(now) },
        count: (count) => (Number.isInteger(count) ? inShort(count) : ""),
      }}
    />
  );
}

/** By how many seconds the reader's clock is ahead of UTC. */
export const zone = (now: Date): number => -60 * now.getTimezoneOffset();

/** A value for every step up to `last` (Unix seconds), also for those in which nothing happened. */
export function filled(
  points: Point[],
  last: number,
  step: number,
  steps: number,
): { times: number[]; series: Series[] } {
  const times = Array.from({ length: steps }, (_, at) => last - (steps - 1 - at) * step);
  const byTime = new Map(points.map((point) => [Math.floor(Date.parse(point.at) / 1000 / step) * step, point]));
  const series = classes.map(([status, name, colour]) => ({
    name,
    colour,
    values: times.map((time) => byTime.get(time)?.byClass[status] ?? 0),
  }));
  return { times, series };
}
