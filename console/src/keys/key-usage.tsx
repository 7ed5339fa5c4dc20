import { useState } from "preact/hooks";
import type { Usage } from "../api/answers.ts";
import { withQuery } from "../api/call.ts";
import { useLoaded } from "../api/loaded.ts";
import { type Range, UsageChart } from "../charts/usage-chart.tsx";
import { Operations } from "../overview/operations.tsx";
import { Choice } from "../parts/choice.tsx";
import { Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { inFull } from "../words/number.ts";

const ranges = [
  ["hour", "Hour"],
  ["day", "Day"],
  ["month", "30 days"],
] as const;
const resolutionOf: Record<Range, Usage["resolution"]> = { hour: "minute", day: "hour", month: "day" };
const rangeOf = { minute: "hour", hour: "day", day: "month" } as const satisfies Record<Usage["resolution"], Range>;
const EVERY = 3_000;

/** What a key was used for, over the last hour, day or month. */
export function KeyUsage({ path }: { path: string }) {
  const [range, setRange] = useState<Range>("hour");
  const loaded = useLoaded<Usage>(withQuery(`${path}/usage`, { resolution: resolutionOf[range] }), EVERY);
  const points = loaded.value?.points ?? [];
  const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  return (
    <div class="columns wide">
      <Panel title="Use" aside={<Choice label="Part of time" options={ranges} chosen={range} onChoose={setRange} />}>
        <Show loaded={loaded} lines={6}>
          {(usage) => (
            <>
              <p class="quiet" data-use={sum(({ requests }) => requests)}>
                {inFull(sum(({ requests }) => requests))} requests, {inFull(sum(({ byClass }) => byClass["429"]))} of
                them refused by limits
              </p>
              <UsageChart label="Requests with this key" range={rangeOf[usage.resolution]} points={usage.points} />
            </>
          )}
        </Show>
      </Panel>
      <Operations points={points} />
    </div>
  );
}
