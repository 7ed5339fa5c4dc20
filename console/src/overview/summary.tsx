import type { ComponentChildren } from "preact";
import type { Overview, Point, TotalUsage } from "../api/responses.ts";
import { formatCompact, formatCount, formatMilliseconds, formatPercent, formatRate, pluralize } from "../format.ts";
import type { Rates } from "./live-rates.ts";

type Counted = Pick<Overview["live"], "requests" | "byClass" | "refusals" | "bans" | "latency">;
type SummaryProps = { overview: Overview; counted: Counted; isLive?: boolean; rates?: Rates | undefined };

/** The statistics of a time range. */
export function Summary({ overview, counted, isLive = false, rates }: SummaryProps) {
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
export function countedIn({ points, latency }: TotalUsage): Counted {
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
