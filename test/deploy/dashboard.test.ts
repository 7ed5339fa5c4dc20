import { describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { codesIn, read, tableOf } from "../support/markdown.ts";
import { hasPromtool, promtool } from "../support/metrics.ts";
import { temporaryDirectory } from "../support/temporary.ts";

if (!hasPromtool)
  console.log("skipped: the queries of the dashboard are not evaluated, without promtool on this machine");

const Target = z.object({ expr: z.string(), instant: z.boolean().default(false), range: z.boolean() });
const Panel = z.object({
  type: z.string(),
  title: z.string(),
  description: z.string().default(""),
  targets: z.array(Target).default([]),
  fieldConfig: z
    .object({
      defaults: z.looseObject({
        unit: z.string(),
        min: z.number(),
        max: z.number().optional(),
        thresholds: z
          .object({ steps: z.array(z.object({ color: z.string(), value: z.number().nullable() })) })
          .optional(),
        custom: z.looseObject({ stacking: z.object({ mode: z.string() }) }).optional(),
      }),
    })
    .optional(),
  options: z.looseObject({ legend: z.object({ showLegend: z.boolean() }).optional() }).optional(),
});
const Variable = z.looseObject({ name: z.string(), label: z.string(), type: z.string() });
const Dashboard = z.object({
  refresh: z.string(),
  time: z.object({ from: z.string(), to: z.string() }),
  panels: z.array(Panel),
  templating: z.object({ list: z.array(Variable) }),
});
const dashboard = Dashboard.parse(JSON.parse(read("deploy/grafana/dashboard.json")));
const shown = dashboard.panels.filter(({ type }) => type !== "row");

/** So long do the nodes run when the dashboard is looked at, in minutes. */
const MINUTES = 30 * 60;
/** A counter that grows so often in a second. */
const perSecond = (rate: number) => `0+${rate * 60}x${MINUTES}`;
const steady = (value: number) => `${value}x${MINUTES}`;

/** The buckets of a histogram: so many of the calls in a second take no longer. */
const buckets = (name: string, labels: string, counts: Record<string, number>): [string, string][] =>
  Object.entries(counts).map(([le, rate]) => [`${name}_bucket{${labels}le="${le}"}`, perSecond(rate)]);

/** What node a reports, and what node b does. */
const REPORTED: Record<"a" | "b", [name: string, values: string][]> = {
  a: [
    ['petstore_http_requests_total{operation="listPets",method="GET",status="200"}', perSecond(3)],
    ['petstore_http_requests_total{operation="createPet",method="POST",status="201"}', perSecond(2)],
    ['petstore_http_requests_total{operation="createPet",method="POST",status="503"}', perSecond(0.5)],
    ...buckets("petstore_http_request_duration_seconds", 'operation="listPets",status="200",', {
      "0.1": 5,
      "0.2": 9.5,
      "0.4": 9.9,
      "+Inf": 10,
    }),
    ["petstore_bans_total", perSecond(1 / 3_600)],
    ["petstore_limiter_fallback_active", steady(1)],
    ["petstore_limiter_fallbacks_total", perSecond(1 / 60)],
    ["petstore_limiter_fallback_requests_total", perSecond(0.5)],
    ['petstore_limiter_decisions_total{limit="key",outcome="allowed"}', perSecond(5)],
    ['petstore_limiter_decisions_total{limit="key",outcome="rate_limit_exceeded"}', perSecond(1)],
    ['petstore_key_cache_total{result="hit"}', perSecond(8)],
    ['petstore_plan_requests_total{plan="free",class="2xx"}', perSecond(1)],
    ['petstore_plan_requests_total{plan="free",class="429"}', perSecond(2)],
    ['petstore_store_duration_seconds_count{store="sqlite",operation="pets.list"}', perSecond(4)],
    ['petstore_store_errors_total{store="sqlite",operation="pets.list"}', perSecond(0.5)],
    ["process_cpu_seconds_total", perSecond(0.5)],
    ["process_cpu_user_seconds_total", perSecond(0.3)],
    ["process_resident_memory_bytes", steady(1e8)],
    ["process_open_fds", steady(100)],
    ["petstore_store_statistics_timestamp_seconds", `-60+60x${MINUTES}`],
  ],
  b: [
    ['petstore_http_requests_total{operation="listPets",method="GET",status="200"}', perSecond(4)],
    ['petstore_http_requests_total{operation="listPets",method="GET",status="429"}', perSecond(0.5)],
    ["petstore_bans_total", perSecond(2 / 3_600)],
    ["petstore_limiter_fallback_active", steady(1)],
    ["petstore_limiter_fallbacks_total", perSecond(1 / 60)],
    ["petstore_limiter_fallback_requests_total", perSecond(0.25)],
    ['petstore_limiter_decisions_total{limit="address",outcome="rate_limit_exceeded"}', perSecond(2)],
    ['petstore_key_cache_total{result="hit"}', perSecond(1)],
    ['petstore_key_cache_total{result="miss"}', perSecond(1)],
    ['petstore_plan_requests_total{plan="pro",class="2xx"}', perSecond(4)],
    ['petstore_plan_requests_total{plan="pro",class="429"}', perSecond(0.5)],
    ...buckets("petstore_store_duration_seconds", 'store="sqlite",operation="pets.list",', {
      "0.05": 5,
      "0.1": 9.9,
      "+Inf": 10,
    }),
    ['petstore_store_duration_seconds_count{store="sqlite",operation="pets.list"}', perSecond(2)],
    ['petstore_store_errors_total{store="sqlite",operation="pets.list"}', perSecond(0.25)],
    ["process_cpu_seconds_total", perSecond(0.25)],
    ["process_resident_memory_bytes", steady(2e8)],
    ["process_open_fds", steady(200)],
    ["petstore_store_statistics_timestamp_seconds", `-120+60x${MINUTES}`],
  ],
};

/** What both report. */
const BOTH: [name: string, values: string][] = [
  ['petstore_build_info{version="1.0.0",runtime="bun"}', steady(1)],
  ['petstore_keys{state="active"}', steady(7)],
  ['petstore_keys{state="banned"}', steady(1)],
  ['petstore_pets{status="available"}', steady(20)],
  ['petstore_orders{status="placed"}', steady(30)],
  ["petstore_database_size_bytes", steady(4_096)],
  ["process_max_fds", steady(1_000)],
  ...buckets("petstore_event_loop_delay_seconds", "", { "0.001": 5, "0.01": 9.9, "0.1": 10, "+Inf": 10 }),
];

/** A series of a node, with the labels that Prometheus adds. */
function seriesOf([name, values]: [string, string], instance: string, deployment: string) {
  const [, metric = "", own = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  const labels = [`job="petstore",instance="${instance}",deployment="${deployment}"`, own].filter(
    (part) => part !== "",
  );
  return { series: `${metric}{${labels.join()}}`, values };
}

/** Nodes that nobody asks for report the same: one of another deployment, by the same name, and another of this one. */
const input = (Object.keys(REPORTED) as ("a" | "b")[]).flatMap((node) =>
  [...REPORTED[node], ...BOTH].flatMap((one) => [
    seriesOf(one, node, "production"),
    seriesOf(one, node, "staging"),
    seriesOf(one, `other-${node}`, "production"),
  ]),
);

const node = (instance: string) => `{job="petstore",instance="${instance}",deployment="production"}`;
const LIST = '{store="sqlite",operation="pets.list"}';
/** What each panel shows of them, query by query: the labels of each series, and its value. */
const EXPECTED: Record<string, Record<string, number>[]> = {
  "Requests per second": [{ "{}": 10 }],
  "5xx responses": [{ "{}": 0.05 }],
  "Duration, p99": [{ "{}": 0.4 }],
  "Bans today": [{ "{}": 72 }],
  "Limits counted alone": [{ "{}": 2 }],
  Running: [{ '{version="1.0.0",runtime="bun"}': 2 }],
  "By operation": [{ '{operation="listPets"}': 7.5, '{operation="createPet"}': 2.5 }],
  "By status": [{ '{status="200"}': 7, '{status="201"}': 2, '{status="503"}': 0.5, '{status="429"}': 0.5 }],
  Duration: [{ "{}": 0.1 }, { "{}": 0.2 }, { "{}": 0.4 }],
  Refused: [{ '{limit="key",outcome="rate_limit_exceeded"}': 1, '{limit="address",outcome="rate_limit_exceeded"}': 2 }],
  Bans: [{ "{}": 3 }],
  "Key cache hits": [{ "{}": 0.9 }],
  "Counted alone": [{ '{instance="a"}': 0.5, '{instance="b"}': 0.25 }],
  "By plan": [{ '{plan="free"}': 3, '{plan="pro"}': 4.5 }],
  "Refused by plan": [{ '{plan="free"}': 2, '{plan="pro"}': 0.5 }],
  Keys: [{ '{state="active"}': 7, '{state="banned"}': 1 }],
  Pets: [{ '{status="available"}': 20 }],
  Orders: [{ '{status="placed"}': 30 }],
  Database: [{ '{deployment="production"}': 4_096 }],
  "Duration of calls, p99": [{ [LIST]: 0.1 }],
  Calls: [{ [LIST]: 6 }],
  "Failed calls": [{ [LIST]: 0.75 }, { "{}": 10 }],
  Processor: [{ [node("a")]: 0.5, [node("b")]: 0.25 }],
  Memory: [{ [node("a")]: 1e8, [node("b")]: 2e8 }],
  "File descriptors": [{ [node("a")]: 0.1, [node("b")]: 0.2 }],
  "Event loop delay": [0.001, 0.01, 0.1].map((seconds) => ({ '{instance="a"}': seconds, '{instance="b"}': seconds })),
  "Age of the statistics": [{ [node("a")]: 60, [node("b")]: 120 }],
};

const VALUES: Record<string, string> = { $deployment: "production", $instance: "a|b", $__rate_interval: "5m" };
const filledIn = (expr: string) => expr.replaceAll(/\$\w+/g, (name) => VALUES[name] ?? name);
const evaluated = (expr: string, samples: Record<string, number>) => ({
  // Without the errors of floating-point numbers.
  expr: `round(${filledIn(expr)}, 0.0001)`,
  eval_time: `${MINUTES}m`,
  exp_samples: Object.entries(samples).map(([labels, value]) => ({ labels, value })),
});

describe("the dashboard", () => {
  test.skipIf(!hasPromtool)("shows in each panel what its title says, of the nodes that are chosen", () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(shown.map(({ title }) => title).sort());
    const queries = shown.flatMap(({ title, targets }) => {
      expect([title, targets.length]).toEqual([title, EXPECTED[title]?.length ?? 0]);
      return targets.map(({ expr }, at) => evaluated(expr, EXPECTED[title]?.[at] ?? {}));
    });
    // Without an error there is a share of errors, too.
    const { targets: [share] = [] } = shown.find(({ title }) => title === "5xx responses") ?? {};
    const good = seriesOf(['petstore_http_requests_total{status="200"}', perSecond(1)], "a", "production");
    const tests = [
      { interval: "1m", input_series: input, promql_expr_test: queries },
      { interval: "1m", input_series: [good], promql_expr_test: [evaluated(share?.expr ?? "", { "{}": 0 })] },
    ];
    const directory = temporaryDirectory();
    const file = join(directory, "tests.yml");
    writeFileSync(file, stringify({ evaluation_interval: "1h", tests }, { lineWidth: 0 }));
    const { status, said } = promtool(["test", "rules", file]);
    rmSync(directory, { recursive: true });
    expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
  });

  test("says no figure of its queries that is another there", () => {
    for (const { title, description, targets } of shown) {
      const queries = targets.map(({ expr }) => expr).join(" ");
      for (const [, percent] of description.matchAll(/(\d+) %/g))
        expect([title, queries.includes(`histogram_quantile(${Number(percent) / 100},`)]).toEqual([title, true]);
      if (description.includes("per second")) expect([title, /\brate\(/.test(queries)]).toEqual([title, true]);
      // What nodes report alike is no sum over them.
      const isAlike = /\bmax by \(deployment, \w+\)/.test(queries);
      expect([title, description.includes("Nodes on one database report the same")]).toEqual([title, isAlike]);
    }
    expect(shown.some(({ description }) => /\d+ %/.test(description))).toBe(true);
  });

  test("is evaluated with series that have the labels of the service's metrics", () => {
    const rows = tableOf(read("docs/monitoring.md"), "Metric", "Type", "Labels", "Meaning");
    const labelsOf = new Map(
      rows.flatMap(([names = "", , labels = ""]) => codesIn(names).map((name) => [name, codesIn(labels)])),
    );
    for (const [name] of [...REPORTED.a, ...REPORTED.b, ...BOTH]) {
      const [, metric = "", inner = ""] = /^(\w+?)(?:_bucket|_count)?(?:\{(.*)\})?$/.exec(name) ?? [];
      const used = [...inner.matchAll(/(\w+)=/g)].map(([, label = ""]) => label).filter((label) => label !== "le");
      expect([metric, used.filter((label) => !labelsOf.get(metric)?.includes(label))]).toEqual([metric, []]);
    }
  });

  test("asks for the last moment where it shows one figure, and for the whole time where it shows a course", () => {
    for (const { title, type, targets } of shown) {
      const isFigure = type === "stat";
      expect([title, type]).toEqual([title, isFigure ? "stat" : "timeseries"]);
      for (const { instant, range } of targets) expect([title, instant, range]).toEqual([title, isFigure, !isFigure]);
    }
  });

  test("takes rates over a time that follows the width of the panel", () => {
    const ranges = shown.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => [...expr.matchAll(/\brate\([^[]*\[([^\]]*)\]/g)].map(([, range]) => range)),
    );
    expect(new Set(ranges)).toEqual(new Set(["$__rate_interval"]));
  });

  test("stacks requests, whose sum means something, and nothing else; shares reach from 0 to 1", () => {
    for (const { title, type, fieldConfig, options } of shown) {
      const { unit = "", min, max, custom } = fieldConfig?.defaults ?? {};
      expect([title, min]).toEqual([title, 0]);
      if (type !== "timeseries") continue;
      expect([title, custom?.stacking.mode]).toEqual([title, unit === "reqps" ? "normal" : "none"]);
      expect([title, max]).toEqual([title, unit === "percentunit" ? 1 : undefined]);
      expect([title, options?.legend?.showLegend]).toEqual([title, true]);
    }
  });

  test("is red where an alert is raised, and orange before", () => {
    const { groups } = parse(read("deploy/prometheus/alerts.yml"));
    const boundOf = (wanted: string) => {
      const rule = groups[0].rules.find(({ alert }: { alert: string }) => alert === wanted);
      return Number(/> ([\d.]+)\n$/.exec(`${rule?.expr.trimEnd()}\n`)?.[1]);
    };
    const boundsOf = (title: string) => {
      const steps = shown.find((panel) => panel.title === title)?.fieldConfig?.defaults.thresholds?.steps ?? [];
      return Object.fromEntries(steps.map(({ color, value }) => [color, value]));
    };
    for (const [title, alert] of [
      ["5xx responses", "PetstoreErrors"],
      ["Duration, p99", "PetstoreSlow"],
    ] as const) {
      const { orange, red } = boundsOf(title);
      expect([title, red]).toEqual([title, boundOf(alert)]);
      expect(Number(orange)).toBeWithin(boundOf(alert) / 10, boundOf(alert));
    }
    // One is worth a look.
    expect([boundsOf("Bans today"), boundsOf("Limits counted alone")]).toEqual([
      { green: null, orange: 1 },
      { green: null, red: 1 },
    ]);
  });

  test("names what runs by its labels, where its count says nothing", () => {
    const modes = shown.filter(({ type }) => type === "stat").map(({ title, options }) => [title, options?.textMode]);
    expect(modes.filter(([, mode]) => mode === "name")).toEqual([["Running", "name"]]);
    expect(new Set(modes.map(([, mode]) => mode))).toEqual(new Set(["auto", "name"]));
    const decimals = shown.find(({ title }) => title === "Bans today")?.fieldConfig?.defaults.decimals;
    expect(decimals).toBe(0);
  });

  test("shows all deployments and nodes at first, of which one can choose several, and asks again when the time changes", () => {
    const [source, ...others] = dashboard.templating.list;
    expect(source).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus", hide: 0 });
    expect(others.map(({ name, label }) => [name, label])).toEqual([
      ["deployment", "Deployment"],
      ["instance", "Node"],
    ]);
    for (const variable of others) {
      expect(variable).toMatchObject({
        ...{ type: "query", multi: true, includeAll: true, allValue: ".*", hide: 0, refresh: 2 },
        current: { value: ["$__all"] },
      });
    }
  });

  test("shows the last hours up to now, and follows no more often than there is something new", () => {
    const scraped = parse(read("deploy/prometheus/prometheus.yml")).global.scrape_interval;
    expect(Number.parseInt(dashboard.refresh, 10)).toBeWithin(Number.parseInt(scraped, 10), 61);
    expect(dashboard.refresh).toMatch(/^\d+s$/);
    expect([dashboard.time.to, /^now-\d+h$/.test(dashboard.time.from)]).toEqual(["now", true]);
  });
});
