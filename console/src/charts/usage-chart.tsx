import { useMemo } from "preact/hooks";
import type { Point, StatusClass, Usage } from "../api/responses.ts";
import { formatCompact } from "../format/number.ts";
import { Chart } from "./chart.tsx";
import type { Series } from "./stack.ts";

/** Each status class with its name and the custom property of its colour. */
export const statusClasses: [StatusClass, string, string][] = [
  ["2xx", "Successful · 2xx", "success"],
  ["4xx", "Client errors · 4xx", "client-error"],
  ["429", "Rate limited · 429", "rate-limited"],
  ["5xx", "Server errors · 5xx", "server-error"],
];

/** Minutes, hours, or days in UTC. */
type Resolution = Usage["resolution"];
const barSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const satisfies Record<Resolution, number>;
const tickSeconds = { minute: 300, hour: 3_600, day: 86_400 } as const satisfies Record<Resolution, number>;
/** From this number of hours on, their labels have the day. */
const HOURS_OF_SEVERAL_DAYS = 30;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" });

/** The requests of points by status class. */
export function statusSeries(points: Pick<Point, "byClass">[]): Series[] {
  return statusClasses.map(([status, name, colour]) => ({
    name,
    colour,
    values: points.map(({ byClass }) => byClass[status]),
  }));
}

type UsageChartProps = { label: string; resolution: Resolution; points: Pick<Point, "at">[]; series: Series[] };

/** Requests over a range: each series has a value for each point. */
export function UsageChart({ label, resolution, points, series }: UsageChartProps) {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const bar = barSeconds[resolution];
  const isLong = resolution === "hour" && points.length > HOURS_OF_SEVERAL_DAYS;
  const short = resolution === "day" ? dayOfMonth : isLong ? hourOfDay : clock;
  const long = { minute: hourOfDay, hour: hourOfDay, day: fullDay }[resolution];
  return (
    <Chart
      label={label}
      times={times}
      series={series}
      formatTime={(seconds) => long.format(seconds * 1000)}
      plot={{
        kind: "bars",
        span: [(times[0] ?? 0) - bar * 0.1, (times.at(-1) ?? 0) + bar],
        ticks: {
          every: tickSeconds[resolution],
          offset: resolution === "day" ? 0 : -60 * new Date().getTimezoneOffset(),
        },
        formatTick: (seconds) => short.format(seconds * 1000),
        formatValue: (count) => (Number.isInteger(count) ? formatCompact(count) : ""),
      }}
    />
  );
}
