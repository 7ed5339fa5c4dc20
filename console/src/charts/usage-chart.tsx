import { useMemo } from "preact/hooks";
import type { Point, StatusClass } from "../api/answers.ts";
import { inShort } from "../words/number.ts";
import { Chart } from "./chart.tsx";

export const classes: [StatusClass, string, string][] = [
  ["2xx", "Answered · 2xx", "answered"],
  ["4xx", "Caller’s mistake · 4xx", "mistaken"],
  ["429", "Over a limit · 429", "refused"],
  ["5xx", "Failed · 5xx", "failed"],
];

/** Which part of time is shown: its minutes, hours or (UTC) days. */
export type Range = "hour" | "day" | "month";
const stepOf = { hour: 60, day: 3_600, month: 86_400 } as const satisfies Record<Range, number>;
const markedEvery = { hour: 300, day: 3_600, month: 86_400 } as const satisfies Record<Range, number>;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" });

type UsageChartProps = { label: string; range: Range; points: Point[] };

/** Requests by how they were answered: every minute of an hour, hour of a day or day of a month. */
export function UsageChart({ label, range, points }: UsageChartProps) {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const series = useMemo(
    () =>
      classes.map(([status, name, colour]) => ({ name, colour, values: points.map(({ byClass }) => byClass[status]) })),
    [points],
  );
  const step = stepOf[range];
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
        span: [(times[0] ?? 0) - step * 0.1, (times.at(-1) ?? 0) + step],
        time: (seconds) => short.format(seconds * 1000),
        marks: { every: markedEvery[range], offset: range === "month" ? 0 : -60 * new Date().getTimezoneOffset() },
        count: (count) => (Number.isInteger(count) ? inShort(count) : ""),
      }}
    />
  );
}
