import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart.tsx";
import { classes } from "../charts/usage-chart.tsx";
import { rate } from "../words/number.ts";
import type { Rates } from "./live.ts";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const LONGEST = 120;
const SHORTEST = 20;

/** Requests a second by how they were answered, over the last two minutes. */
export function LiveChart({ samples }: { samples: Rates[] }) {
  const times = useMemo(() => samples.map(({ at }) => at), [samples]);
  const series = useMemo(
    () => classes.map(([status, name, colour]) => ({ name, colour, values: samples.map((sample) => sample[status]) })),
    [samples],
  );
  const last = times.at(-1) ?? Date.now() / 1000;
  const first = Math.max(last - LONGEST, Math.min(times[0] ?? last, last - SHORTEST));
  return (
    <Chart
      label="Requests a second"
      times={times}
      series={series}
      moment={(seconds) => clock.format(seconds * 1000)}
      looks={{
        kind: "area",
        span: [first, last],
        marks: { every: 5, offset: 0 },
        time: (seconds) => clock.format(seconds * 1000),
        count: rate,
      }}
    />
  );
}
