import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useFetch } from "./api/hooks.ts";
import type { Point, ServiceState, StatusClass, Usage } from "./api/responses.ts";
import { Chart } from "./components/chart.tsx";
import { SegmentedControl } from "./components/filters.tsx";
import { Panel } from "./components/page.tsx";
import type { Series } from "./components/plot.ts";
import { Badge, Meter } from "./components/values.tsx";
import { formatCompact, formatCount, toLocalInput } from "./format.ts";
import { newCustomRange, type RangeName, type TimeRange, timeRanges } from "./time-range.ts";

/** How often each operation was called, over all `points`: those that were. */
export function Operations({ points }: { points: Point[] }) {
  const { value: state } = useFetch<ServiceState>("/state");
  const counts = Object.keys(points[0]?.byOperation ?? {})
    .map((id) => ({ id, count: points.reduce((sum, { byOperation }) => sum + (byOperation[id] ?? 0), 0) }))
    .filter(({ count }) => count > 0)
    .map(({ id, count }) => {
      const operation = state?.operations.find((one) => one.id === id);
      const label = operation === undefined ? (id === "other" ? "Other" : id) : `${operation.method} ${operation.path}`;
      return { id, operation, label, count };
    });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="Operations">
      {total === 0 && <p class="quiet">No operation was called.</p>}
      <ul class="operations">
        {counts.map(({ id, operation, label, count }) => (
          <li key={id}>
            <span class="name">
              {operation === undefined ? label : <code>{label}</code>}
              {operation?.isDeprecated && <Badge tone="warn">deprecated</Badge>}
            </span>
            <span class="number">{formatCount(count)}</span>
            <Meter label={label} value={count} max={total} tone="accent" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type TimeRangePickerProps = {
  range: TimeRange;
  onChange: (range: TimeRange) => void;
  /** Without "live". */
  isPast?: boolean;
};

/** A choice of a time range; a custom one has two fields for its start and its end, in the time zone of the browser. */
export function TimeRangePicker({ range, onChange, isPast = false }: TimeRangePickerProps) {
  const choose = (name: RangeName) => onChange(name === "custom" ? newCustomRange(Date.now()) : { name });
  return (
    <div class="time-range">
      <SegmentedControl
        label="Time range"
        options={isPast ? timeRanges.slice(1) : timeRanges}
        value={range.name}
        onChange={choose}
      />
      {range.name === "custom" && (
        <div class="custom-range">
          <TimeField label="From" value={range.from} max={range.to} onChange={(from) => onChange({ ...range, from })} />
          <TimeField label="To" value={range.to} min={range.from} onChange={(to) => onChange({ ...range, to })} />
        </div>
      )}
    </div>
  );
}

type TimeFieldProps = {
  label: string;
  /** Unix ms, as the bounds are. */
  value: number;
  min?: number;
  max?: number;
  onChange: (time: number) => void;
};

/** Takes effect when it is a time within the bounds: until then what is typed stays, and the browser marks it as invalid. */
function TimeField({ label, value, min, max, onChange }: TimeFieldProps) {
  const [typed, setTyped] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const apply = () => {
    const input = field.current;
    if (input === null) return;
    const isTime = input.checkValidity();
    setTyped(isTime ? undefined : input.value);
    if (isTime) onChange(new Date(input.value).getTime());
  };
  // The other field may have moved a bound so that what is typed is within it.
  useEffect(() => {
    if (typed !== undefined) apply();
  }, [min, max]);
  const local = (time: number | undefined) => (time === undefined ? undefined : toLocalInput(new Date(time)));
  return (
    <label>
      {label}
      <input
        ref={field}
        type="datetime-local"
        required
        value={typed ?? local(value)}
        min={local(min)}
        max={local(max)}
        onInput={apply}
      />
    </label>
  );
}

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
