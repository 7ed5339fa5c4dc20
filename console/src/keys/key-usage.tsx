import { useMemo, useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Usage } from "../api/responses.ts";
import { AsyncContent, Panel } from "../components/page.tsx";
import { formatCount } from "../format.ts";
import { queryOf, type TimeRange } from "../time-range.ts";
import { Operations, statusSeries, TimeRangePicker, UsageChart } from "../usage.tsx";

const REFRESH_MS = 3_000;

/** The requests of a key over a time range. */
export function KeyUsage({ path }: { path: string }) {
  const [range, setRange] = useState<TimeRange>({ name: "hour" });
  const fetched = useFetch<Usage>(withQuery(`${path}/usage`, queryOf(range, Date.now())), REFRESH_MS);
  const points = useMemo(() => fetched.value?.points ?? [], [fetched.value]);
  const series = useMemo(() => statusSeries(points), [points]);
  const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  return (
    <div class="columns wide">
      <Panel title="Usage" aside={<TimeRangePicker range={range} onChange={setRange} isPast />}>
        <AsyncContent fetched={fetched} lines={6}>
          {({ resolution }) => (
            <>
              <p class="quiet">
                {formatCount(sum(({ requests }) => requests))} requests,{" "}
                {formatCount(sum(({ byClass }) => byClass["429"]))} rate limited
                {sum(({ simulated }) => simulated) > 0 &&
                  `, ${formatCount(sum(({ simulated }) => simulated))} simulated`}
              </p>
              <UsageChart label="Requests with this key" resolution={resolution} points={points} series={series} />
            </>
          )}
        </AsyncContent>
      </Panel>
      <Operations points={points} />
    </div>
  );
}
