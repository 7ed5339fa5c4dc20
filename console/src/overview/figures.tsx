import type { ComponentChildren } from "preact";
import type { Overview } from "../api/answers.ts";
import { inFull, inShort, milliseconds, plural, rate, share } from "../words/number.ts";
import type { Rates } from "./live.ts";
import type { TimeRange } from "./time-range.ts";

type FiguresProps = { overview: Overview; range: TimeRange; rates: Rates | undefined };

/** What an operator looks at first: how much, how well, who was refused, how fast. */
export function Figures({ overview, range, rates }: FiguresProps) {
  const { requests, byClass, refusals, bans, latency } = overview[range];
  const perSecond =
    rates === undefined
      ? requests / Math.max(1, overview.live.seconds)
      : rates["2xx"] + rates["4xx"] + rates["429"] + rates["5xx"];
  const isLive = range === "live";
  return (
    <dl class="figures">
      <Figure name={isLive ? "Requests a second" : "Requests"} value={isLive ? rate(perSecond) : inShort(requests)}>
        {isLive
          ? `${inFull(requests)} in the last ${Math.round(overview.live.seconds)} s`
          : `${inFull(requests)} in all`}
      </Figure>
      <Figure name="Answered" value={share(byClass["2xx"], requests)}>
        {byClass["5xx"] === 0 ? "none failed" : `${inFull(byClass["5xx"])} failed`}, {plural(byClass["4xx"], "mistake")}
      </Figure>
      <Figure name="Refused by limits" value={inShort(refusals)}>
        {share(refusals, requests)} of requests, {plural(bans, "ban")}
      </Figure>
      <Figure name="Latency, median" value={milliseconds(latency.p50)}>
        p95 {milliseconds(latency.p95)}, p99 {milliseconds(latency.p99)}
      </Figure>
      <Figure name="Active keys" value={inShort(overview.keys.active)}>
        {inFull(overview.keys.total)} in all, {inFull(overview.keys.banned)} banned
      </Figure>
    </dl>
  );
}

type FigureProps = { name: string; value: string; children: ComponentChildren };

function Figure({ name, value, children }: FigureProps) {
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
