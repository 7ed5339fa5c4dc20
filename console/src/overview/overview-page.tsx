import { useMemo, useState } from "preact/hooks";
import type { Keys, Overview, ServiceState } from "../api/answers.ts";
import { useLoaded } from "../api/loaded.ts";
import { UsageChart } from "../charts/usage-chart.tsx";
import { Choice } from "../parts/choice.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page, Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { StandsOn } from "../service/stands-on.tsx";
import { BannedKeys } from "./banned-keys.tsx";
import { Figures } from "./figures.tsx";
import { ratesWith } from "./live.ts";
import { LiveChart } from "./live-chart.tsx";
import { Operations } from "./operations.tsx";
import { type TimeRange, timeRanges } from "./time-range.ts";

const EVERY = 2_000;

/** How the service is doing, now and over the last hour, day and month. */
export function OverviewPage() {
  const [range, setRange] = useState<TimeRange>("live");
  const loaded = useLoaded<Overview>("/overview", EVERY);
  const banned = useLoaded<Keys>("/keys?state=banned&limit=5", 5 * EVERY);
  const { value: state } = useLoaded<ServiceState>("/state", 5 * EVERY);
  const { value } = loaded;
  const samples = useMemo(() => (value === undefined ? [] : ratesWith(value)), [value]);
  return (
    <Page
      title="Overview"
      actions={<Choice label="Part of time" options={timeRanges} chosen={range} onChoose={setRange} />}
    >
      <Show loaded={loaded} lines={6}>
        {(overview) => (
          <>
            <Figures overview={overview} range={range} rates={samples.at(-1)} />
            {overview.month.requests === 0 && overview.live.requests === 0 ? (
              <Empty icon="overview" title="No requests yet">
                <p>
                  As soon as somebody calls the interface it shows here. <a href="#/keys">Create a key</a> to begin.
                </p>
              </Empty>
            ) : (
              <>
                <Panel title={range === "live" ? "Requests a second" : "Requests"}>
                  {range === "live" ? (
                    <LiveChart samples={samples} />
                  ) : (
                    <UsageChart label="Requests" range={range} points={overview[range].points} />
                  )}
                </Panel>
                <div class="columns">
                  <Operations points={overview[range].points} />
                  <div class="stack">
                    <BannedKeys loaded={banned} />
                    {state !== undefined && <StandsOn state={state} />}
                  </div>
                </div>
              </>
            )}
          </>
        )}
      </Show>
    </Page>
  );
}
