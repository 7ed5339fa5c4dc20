import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { type Fetched, useFetch } from "../api/hooks.ts";
import type {
  Keys,
  Overview,
  PlanUsage,
  Point,
  ServiceState,
  TopKeys,
  TotalUsage,
  UsageByPlan,
} from "../api/responses.ts";
import { Chart } from "../components/chart.tsx";
import { SegmentedControl } from "../components/filters.tsx";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import type { Series } from "../components/plot.ts";
import { TableHead } from "../components/table.tsx";
import { Timestamp } from "../components/values.tsx";
import { formatCompact, formatCount, formatMilliseconds, formatPercent, formatRate, pluralize } from "../format.ts";
import { keyHref, listHref } from "../route.ts";
import { queryOf, type TimeRange } from "../time-range.ts";
import { Operations, statusClasses, statusSeries, TimeRangePicker, UsageChart } from "../usage.tsx";
import { AlertNotice } from "./alerts.tsx";
import { planName, plans } from "./key-labels.tsx";
import { type Rates, recordRates } from "./live-rates.ts";
import { FindRequest } from "./requests.tsx";
import { Dependencies } from "./service.tsx";

/** The banned keys, and when their bans end. */
function BannedKeys({ fetched }: { fetched: Fetched<Keys> }) {
  return (
    <Panel title="Banned keys" aside={<a href="#/keys?state=banned">View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ keys, total }) =>
          keys.length === 0 ? (
            <p class="quiet">None. A key that keeps sending requests after 429 responses is banned.</p>
          ) : (
            <ul class="rows">
              {keys.map(({ id, name, usage }) => (
                <li key={id}>
                  <a href={keyHref(id)}>{name}</a>
                  <span class="faint">
                    until <Timestamp at={usage?.bannedUntil ?? null} />
                  </span>
                </li>
              ))}
              {total > keys.length && <li class="faint">and {formatCount(total - keys.length)} more</li>}
            </ul>
          )
        }
      </AsyncContent>
    </Panel>
  );
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const formatTime = (seconds: number) => timeOfDay.format(seconds * 1000);
const LONGEST_SPAN = 120;
const SHORTEST_SPAN = 20;

/** Requests per second by status class, over the last two minutes. */
function LiveChart({ rates }: { rates: Rates[] }) {
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

/** Each plan with its name and the custom property of its colour, also of the requests without a valid key. */
const countedPlans: [PlanUsage["plan"], string, string][] = [
  ...plans.map(([plan, name]): [PlanUsage["plan"], string, string] => [plan, name, `plan-${plan}`]),
  ["none", "No valid key", "plan-none"],
];

/** The requests of each plan by point. */
function planSeries(usages: PlanUsage[]): Series[] {
  return countedPlans.map(([plan, name, colour]) => {
    const points = usages.find((one) => one.plan === plan)?.points ?? [];
    return { name, colour, values: points.map(({ requests }) => requests) };
  });
}

/** The requests of each plan with requests. */
function PlanTable({ plans }: { plans: PlanUsage[] }) {
  const total = plans.reduce((sum, { requests }) => sum + requests, 0);
  if (total === 0) return <p class="quiet">No request was counted by plan.</p>;
  return (
    <table class="cards">
      <TableHead
        columns={[
          "Plan",
          { title: "Requests", isNumeric: true },
          { title: "Successful", isNumeric: true },
          { title: "Rate limited", isNumeric: true },
        ]}
      />
      <tbody>
        {countedPlans.map(([plan, name, colour]) => {
          const usage = plans.find((one) => one.plan === plan);
          if (usage === undefined || usage.requests === 0) return null;
          return (
            <tr key={plan}>
              <th scope="row">
                <i class={`swatch ${colour}`} />
                {name}
              </th>
              <td data-label="Requests" class="number">
                {formatCount(usage.requests)}
                <div class="faint">{formatPercent(usage.requests, total)}</div>
              </td>
              <td data-label="Successful" class="number">
                {formatPercent(usage.byClass["2xx"], usage.requests)}
              </td>
              <td data-label="Rate limited" class="number">
                {formatCount(usage.refusals)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const groups = [
  ["status", "By status"],
  ["plan", "By plan"],
] as const;

/** The requests of a range as a chart, by status class or by plan. */
function RangeUsage({ usage, byPlan }: { usage: TotalUsage; byPlan: UsageByPlan | undefined }) {
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

/** How many pets and how many orders have each status. */
function Shop({ of: { pets, orders } }: { of: Pick<Overview, "pets" | "orders"> }) {
  return (
    <Panel title="Pets and orders">
      <ul class="rows">
        <Row name="Available pets" list="pets" status="available" count={pets.available} />
        <Row name="Pending pets" list="pets" status="pending" count={pets.pending} />
        <Row name="Sold pets" list="pets" status="sold" count={pets.sold} />
        <Row name="Orders to approve" list="orders" status="placed" count={orders.placed} />
        <Row name="Orders to deliver" list="orders" status="approved" count={orders.approved} />
        <Row name="Delivered orders" list="orders" status="delivered" count={orders.delivered} />
        <Row name="Cancelled orders" list="orders" status="cancelled" count={orders.cancelled} />
      </ul>
    </Panel>
  );
}

type RowProps = { name: string; list: "pets" | "orders"; status: string; count: number };

function Row({ name, list, status, count }: RowProps) {
  return (
    <li>
      <a href={listHref(list, { status })}>{name}</a>
      <strong class="number">{formatCount(count)}</strong>
    </li>
  );
}

type Counted = Pick<Overview["live"], "requests" | "byClass" | "refusals" | "bans" | "latency">;
type SummaryProps = { overview: Overview; counted: Counted; isLive?: boolean; rates?: Rates | undefined };

/** The statistics of a time range. */
function Summary({ overview, counted, isLive = false, rates }: SummaryProps) {
  const { requests, byClass, refusals, bans, latency } = counted;
  const perSecond =
    rates === undefined
      ? requests / Math.max(1, overview.live.seconds)
      : rates["2xx"] + rates["4xx"] + rates["429"] + rates["5xx"];
  return (
    <dl class="summary">
      {isLive ? (
        <Stat name="Requests per second" value={formatRate(perSecond)}>
          {formatCount(requests)} in the last {Math.round(overview.live.seconds)} s
        </Stat>
      ) : (
        <Stat name="Requests" value={formatCompact(requests)}>
          {formatCount(requests)} total
        </Stat>
      )}
      <Stat name="Successful" value={formatPercent(byClass["2xx"], requests)}>
        {pluralize(byClass["5xx"], "server error")}, {pluralize(byClass["4xx"], "client error")}
      </Stat>
      <Stat name="Rate limited" value={formatCompact(refusals)}>
        {formatPercent(refusals, requests)} of requests, {pluralize(bans, "ban")}
      </Stat>
      <Stat name="Median latency" value={formatMilliseconds(latency.p50)}>
        p95 {formatMilliseconds(latency.p95)}, p99 {formatMilliseconds(latency.p99)}
      </Stat>
      <Stat name="Active keys" value={formatCompact(overview.keys.active)}>
        {formatCount(overview.keys.total)} total, {formatCount(overview.keys.banned)} banned
        {overview.keys.rehearsing > 0 && `, ${formatCount(overview.keys.rehearsing)} rehearsing`}
      </Stat>
    </dl>
  );
}

/** The sums of all points. */
function countedIn({ points, latency }: TotalUsage): Counted {
  const sum = (of: (point: Point) => number) => points.reduce((total, point) => total + of(point), 0);
  const byClass = {
    "2xx": sum((point) => point.byClass["2xx"]),
    "4xx": sum((point) => point.byClass["4xx"]),
    "429": sum((point) => point.byClass["429"]),
    "5xx": sum((point) => point.byClass["5xx"]),
  };
  return {
    requests: sum(({ requests }) => requests),
    byClass,
    refusals: byClass["429"],
    bans: sum(({ bans }) => bans),
    latency,
  };
}

function Stat({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span>{children}</span>
      </dd>
    </div>
  );
}

const sorts = [
  ["requests", "Requests"],
  ["refusals", "Refusals"],
] as const;
const KEYS_REFRESH_MS = 10_000;
const LIMIT = 10;

/** The keys with the most requests, or refusals, in the range of this query. */
function TopKeysPanel({ query }: { query: Record<string, string | number> }) {
  const [sort, setSort] = useState<"requests" | "refusals">("requests");
  const fetched = useFetch<TopKeys>(withQuery("/usage/keys", { ...query, sort, limit: LIMIT }), KEYS_REFRESH_MS);
  return (
    <Panel
      title="Busiest keys"
      aside={<SegmentedControl label="Busiest by" options={sorts} value={sort} onChange={setSort} />}
    >
      <AsyncContent fetched={fetched} lines={5}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p class="quiet">{sort === "requests" ? "No key was used." : "No key was rate limited."}</p>
          ) : (
            <table class="cards">
              <TableHead
                columns={["Key", { title: "Requests", isNumeric: true }, { title: "Rate limited", isNumeric: true }]}
              />
              <tbody>
                {keys.map(({ keyId, keyName, plan, requests, refusals }) => (
                  <tr key={keyId}>
                    <th scope="row">
                      <a href={keyHref(keyId)}>{keyName}</a> <span class="faint">{planName(plan)}</span>
                    </th>
                    <td data-label="Requests" class="number">
                      {formatCount(requests)}
                    </td>
                    <td data-label="Rate limited" class="number">
                      {formatCount(refusals)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </AsyncContent>
    </Panel>
  );
}

const LIVE_MS = 2_000;

/** Traffic, rate limiting, latency and health, now and over a range of time. */
export function OverviewPage() {
  const [range, setRange] = useState<TimeRange>({ name: "live" });
  const isLive = range.name === "live";
  const query = useMemo(() => queryOf(range, Date.now()), [range]);
  const fetched = useFetch<Overview>("/overview", LIVE_MS);
  const banned = useFetch<Keys>("/keys?state=banned&limit=5", 5 * LIVE_MS);
  const { value: state } = useFetch<ServiceState>("/state", 5 * LIVE_MS);
  const usage = useFetch<TotalUsage>(withQuery("/usage", query), 2 * LIVE_MS);
  const byPlan = useFetch<UsageByPlan>(withQuery("/usage/plans", query), 5 * LIVE_MS);
  const { value } = fetched;
  const rates = useMemo(() => (value === undefined ? [] : recordRates(value)), [value]);
  return (
    <Page title="Overview" actions={<TimeRangePicker range={range} onChange={setRange} />}>
      <FindRequest />
      <AlertNotice />
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
                  <TopKeysPanel query={query} />
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
