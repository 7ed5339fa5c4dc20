import { useMemo } from "preact/hooks";
import { Chart } from "../components/chart.tsx";
import { formatRate } from "../format.ts";
import { statusClasses } from "../usage.tsx";
import type { Rates } from "./live-rates.ts";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const formatTime = (seconds: number) => clock.format(seconds * 1000);
const LONGEST_SPAN = 120;
const SHORTEST_SPAN = 20;

/** Requests per second by status class, over the last two minutes. */
export function LiveChart({ rates }: { rates: Rates[] }) {
  const times = useMemo(() => rates.map(({ at }) => at), [rates]);
  const series = useMemo(
    () => statusClasses.map(([status, name, colour]) => ({ name, colour, values: rates.map((rate) => rate[status]) })),
    [rates],
  );
  const last = times.at(-1) ?? Date.now() / 1000;
  const first = Math.max(last - LONGEST_SPAN, Math.min(times[0] ?? last, last - SHORTEST_SPAN));
  return (
    <Chart
      label="Requests per second"
      times={times}
      series={series}
      formatTime={formatTime}
      plot={{
        kind: "area",
        span: [first, last],
        ticks: { every: 5, offset: 0 },
        formatTick: formatTime,
        formatValue: formatRate,
      }}
    />
  );
}
