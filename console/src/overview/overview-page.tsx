import { useMemo, useState } from "preact/hooks";
import { useFetch } from "../api/fetched.ts";
import type { Keys, Overview, ServiceState } from "../api/responses.ts";
import { UsageChart } from "../charts/usage-chart.tsx";
import { AsyncContent } from "../components/async-content.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Page, Panel } from "../components/page.tsx";
import { SegmentedControl } from "../components/segmented-control.tsx";
import { Dependencies } from "../service/dependencies.tsx";
import { BannedKeys } from "./banned-keys.tsx";
import { LiveChart } from "./live-chart.tsx";
import { recordRates } from "./live-rates.ts";
import { Operations } from "./operations.tsx";
import { Shop } from "./shop.tsx";
import { Summary } from "./summary.tsx";
import { type TimeRange, timeRanges } from "./time-range.ts";

const REFRESH_MS = 2_000;

/** Traffic, rate limiting, latency and health, now and over the last hour, day and month. */
export function OverviewPage() {
  const [range, setRange] = useState<TimeRange>("live");
  const fetched = useFetch<Overview>("/overview", REFRESH_MS);
  const banned = useFetch<Keys>("/keys?state=banned&limit=5", 5 * REFRESH_MS);
  const { value: state } = useFetch<ServiceState>("/state", 5 * REFRESH_MS);
  const { value } = fetched;
  const rates = useMemo(() => (value === undefined ? [] : recordRates(value)), [value]);
  return (
    <Page
      title="Overview"
      actions={<SegmentedControl label="Time range" options={timeRanges} value={range} onChange={setRange} />}
    >
      <AsyncContent fetched={fetched} lines={6}>
        {(overview) => (
          <>
            <Summary overview={overview} range={range} rates={rates.at(-1)} />
            {overview.month.requests === 0 && overview.live.requests === 0 ? (
              <>
                <EmptyState icon="overview" title="No requests yet">
                  <p>
                    Requests to the API appear here as they arrive. To send one, <a href="#/keys">create a key</a>.
                  </p>
                </EmptyState>
                <Shop of={overview} />
              </>
            ) : (
              <>
                <Panel title={range === "live" ? "Requests per second" : "Requests"}>
                  {range === "live" ? (
                    <LiveChart rates={rates} />
                  ) : (
                    <UsageChart label="Requests" range={range} points={overview[range].points} />
                  )}
                </Panel>
                <div class="columns">
                  <Operations points={overview[range].points} />
                  <div class="stack">
                    <Shop of={overview} />
                    <BannedKeys fetched={banned} />
                    {state !== undefined && <Dependencies state={state} />}
                  </div>
                </div>
              </>
            )}
          </>
        )}
      </AsyncContent>
    </Page>
  );
}
