import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/fetched.ts";
import type { Usage } from "../api/responses.ts";
import { UsageChart, type UsageRange } from "../charts/usage-chart.tsx";
import { AsyncContent } from "../components/async-content.tsx";
import { Panel } from "../components/page.tsx";
import { SegmentedControl } from "../components/segmented-control.tsx";
import { formatCount } from "../format/number.ts";
import { Operations } from "../overview/operations.tsx";

const ranges = [
  ["hour", "Hour"],
  ["day", "Day"],
  ["month", "30 days"],
] as const;
const resolutionOf: Record<UsageRange, Usage["resolution"]> = { hour: "minute", day: "hour", month: "day" };
const rangeOf = { minute: "hour", hour: "day", day: "month" } as const satisfies Record<
  Usage["resolution"],
  UsageRange
>;
const REFRESH_MS = 3_000;

/** The requests of a key over the last hour, day or month. */
export function KeyUsage({ path }: { path: string }) {
  const [range, setUsageRange] = useState<UsageRange>("hour");
  const fetched = useFetch<Usage>(withQuery(`${path}/usage`, { resolution: resolutionOf[range] }), REFRESH_MS);
  const points = fetched.value?.points ?? [];
  const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  return (
    <div class="columns wide">
      <Panel
        title="Usage"
        aside={<SegmentedControl label="Time range" options={ranges} value={range} onChange={setUsageRange} />}
      >
        <AsyncContent fetched={fetched} lines={6}>
          {(usage) => (
            <>
              <p class="quiet">
                {formatCount(sum(({ requests }) => requests))} requests,{" "}
                {formatCount(sum(({ byClass }) => byClass["429"]))} rate limited
                {sum(({ simulated }) => simulated) > 0 &&
                  `, ${formatCount(sum(({ simulated }) => simulated))} simulated`}
              </p>
              <UsageChart label="Requests with this key" range={rangeOf[usage.resolution]} points={usage.points} />
            </>
          )}
        </AsyncContent>
      </Panel>
      <Operations points={points} />
    </div>
  );
}
