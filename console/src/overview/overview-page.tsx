import { useMemo, useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Keys, Overview, ServiceState, TotalUsage, UsageByPlan } from "../api/responses.ts";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import { FindRequest } from "../requests/find-request.tsx";
import { Dependencies } from "../service/dependencies.tsx";
import { queryOf, type TimeRange } from "../time-range.ts";
import { Operations, TimeRangePicker } from "../usage.tsx";
import { BannedKeys } from "./banned-keys.tsx";
import { LiveChart } from "./live-chart.tsx";
import { recordRates } from "./live-rates.ts";
import { PlanTable } from "./plan-table.tsx";
import { RangeUsage } from "./range-usage.tsx";
import { Shop } from "./shop.tsx";
import { countedIn, Summary } from "./summary.tsx";
import { TopKeys } from "./top-keys.tsx";

const REFRESH_MS = 2_000;

/** Traffic, rate limiting, latency and health, now and over a range of time. */
export function OverviewPage() {
  const [range, setRange] = useState<TimeRange>({ name: "live" });
  const isLive = range.name === "live";
  const query = useMemo(() => queryOf(range, Date.now()), [range]);
  const fetched = useFetch<Overview>("/overview", REFRESH_MS);
  const banned = useFetch<Keys>("/keys?state=banned&limit=5", 5 * REFRESH_MS);
  const { value: state } = useFetch<ServiceState>("/state", 5 * REFRESH_MS);
  const usage = useFetch<TotalUsage>(withQuery("/usage", query), 2 * REFRESH_MS);
  const byPlan = useFetch<UsageByPlan>(withQuery("/usage/plans", query), 5 * REFRESH_MS);
  const { value } = fetched;
  const rates = useMemo(() => (value === undefined ? [] : recordRates(value)), [value]);
  return (
    <Page title="Overview" actions={<TimeRangePicker range={range} onChange={setRange} />}>
      <FindRequest />
      <AsyncContent fetched={fetched} lines={6}>
        {(overview) => (
          <>
            {isLive ? (
              <Summary overview={overview} counted={overview.live} isLive rates={rates.at(-1)} />
            ) : (
              <AsyncContent fetched={usage} lines={2}>
                {(found) => <Summary overview={overview} counted={countedIn(found)} />}
              </AsyncContent>
            )}
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
                {isLive ? (
                  <Panel title="Requests per second">
                    <LiveChart rates={rates} />
                  </Panel>
                ) : (
                  usage.value && <RangeUsage usage={usage.value} byPlan={byPlan.value} />
                )}
                <div class="columns">
                  <TopKeys query={query} />
                  <Panel title="Plans">
                    <AsyncContent fetched={byPlan} lines={4}>
                      {({ plans }) => <PlanTable plans={plans} />}
                    </AsyncContent>
                  </Panel>
                </div>
                <div class="columns">
                  <Operations points={isLive ? overview.live.points : (usage.value?.points ?? [])} />
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
