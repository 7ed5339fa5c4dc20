import { useMemo, useState } from "preact/hooks";
import type { TotalUsage, UsageByPlan } from "../api/responses.ts";
import { SegmentedControl } from "../components/filters.tsx";
import { Panel } from "../components/page.tsx";
import { statusSeries, UsageChart } from "../usage.tsx";
import { planSeries } from "./plan-series.ts";

const groups = [
  ["status", "By status"],
  ["plan", "By plan"],
] as const;

/** The requests of a range as a chart, by status class or by plan. */
export function RangeUsage({ usage, byPlan }: { usage: TotalUsage; byPlan: UsageByPlan | undefined }) {
  const [group, setGroup] = useState<"status" | "plan">("status");
  const ofStatus = useMemo(() => statusSeries(usage.points), [usage]);
  const ofPlans = useMemo(() => (byPlan === undefined ? undefined : planSeries(byPlan.plans)), [byPlan]);
  // The two are fetched one after the other: until both are of one range, the chart is by status.
  const shown = group === "plan" && byPlan?.from === usage.from && byPlan.to === usage.to ? ofPlans : undefined;
  return (
    <Panel
      title="Requests"
      aside={<SegmentedControl label="Grouped" options={groups} value={group} onChange={setGroup} />}
    >
      <UsageChart label="Requests" resolution={usage.resolution} points={usage.points} series={shown ?? ofStatus} />
    </Panel>
  );
}
