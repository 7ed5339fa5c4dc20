import { useMemo } from "preact/hooks";
import type { Point, StatusClass } from "../api/responses.ts";
import { formatCompact } from "../format/number.ts";
import { Chart } from "./chart.tsx";

/** Each status class with its name and the custom property of its colour. */
export const statusClasses: [StatusClass, string, string][] = [
  ["2xx", "Successful · 2xx", "success"],
  ["4xx", "Client errors · 4xx", "client-error"],
  ["429", "Rate limited · 429", "rate-limited"],
  ["5xx", "Server errors · 5xx", "server-error"],
];

/** An hour by minutes, 24 hours by hours, or a month by days in UTC. */
export type UsageRange = "hour" | "day" | "month";
const barSeconds = { hour: 60, day: 3_600, month: 86_400 } as const satisfies Record<UsageRange, number>;
const tickSeconds = { hour: 300, day: 3_600, month: 86_400 } as const satisfies Record<UsageRange, number>;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" });

type UsageChartProps = { label: string; range: UsageRange; points: Point[] };

/** Requests by status class over a range. */
export function UsageChart({ label, range, points }: UsageChartProps) {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const series = useMemo(
    () =>
      statusClasses.map(([status, name, colour]) => ({
        name,
        colour,
        values: points.map(({ byClass }) => byClass[status]),
      })),
    [points],
  );
  const bar = barSeconds[range];
  const short = range === "month" ? dayOfMonth : clock;
  const long = { hour: clock, day: hourOfDay, month: fullDay }[range];
  return (
    <Chart
      label={label}
      times={times}
      series={series}
      formatTime={(seconds) => long.format(seconds * 1000)}
      plot={{
        kind: "bars",
        span: [(times[0] ?? 0) - bar * 0.1, (times.at(-1) ?? 0) + bar],
        ticks: { every: tickSeconds[range], offset: range === "month" ? 0 : -60 * new Date().getTimezoneOffset() },
        formatTick: (seconds) => short.format(seconds * 1000),
        formatValue: (count) => (Number.isInteger(count) ? formatCompact(count) : ""),
      }}
    />
  );
}
