import { beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { getPet } from "../../src/adapters/http/operations/pets.ts";
import { states } from "../support/markdown.ts";
import { hasPromtool, metricsAt, promtool, type ReadMetrics } from "../support/metrics.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { useService } from "../support/use-service.ts";

if (!hasPromtool) console.log("skipped: the alerts are not checked by promtool, which is not on this machine");

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROMETHEUS = join(ROOT, "deploy/prometheus");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const Target = z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() });
const Step = z.object({ color: z.string(), value: z.number().nullable() });
const Defaults = z.object({
  unit: z.string(),
  thresholds: z.object({ mode: z.string(), steps: z.array(Step) }).optional(),
  color: z.object({ mode: z.string() }),
});
const Panel = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string().min(1),
  description: z.string().default(""),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(Target).default([]),
  fieldConfig: z.object({ defaults: Defaults }).optional(),
  options: z
    .object({ colorMode: z.string(), reduceOptions: z.object({ calcs: z.array(z.string()) }) })
    .partial()
    .default({}),
});
const Dashboard = z.object({
  uid: z.literal("petstore"),
  panels: z.array(Panel),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
});
const Alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.record(z.string(), z.string()),
          annotations: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ),
});

const dashboard = Dashboard.parse(JSON.parse(read("deploy/grafana/dashboard.json")));
const alerts = Alerts.parse(parse(read("deploy/prometheus/alerts.yml"))).groups.flatMap(({ rules }) => rules);
const asked = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ by: title, expr }))),
  ...alerts.map(({ alert, expr }) => ({ by: alert, expr })),
];

describe("the metrics of the dashboard and the alerts exist:", () => {
  const service = useService();
  let measured: ReadMetrics;
  beforeAll(async () => {
    await (await service.withKey()).get("/v1/pets");
    measured = await metricsAt(service.adminUrl);
  });

  /** Added by Prometheus itself: whether the scrape succeeded, and its target. */
  const SERIES_OF_ITS_OWN = ["up"];
  const LABELS_OF_ITS_OWN = ["instance", "job", "deployment", "le"];

  test.each(asked)("$by", ({ expr }) => {
    const names = [...expr.matchAll(/\b(petstore|process|up)(_[a-z_]+)?\b(?=[{[ )])/g)].map(([name]) => name);
    expect(names.length).toBeGreaterThan(0);
    const known = new Set([...measured.samples.map(({ name }) => name), ...SERIES_OF_ITS_OWN]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);

    const labels = new Set(measured.samples.flatMap(({ labels }) => Object.keys(labels)).concat(LABELS_OF_ITS_OWN));
    const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = ""]) => [
      ...inner.matchAll(/(\w+)(?=[!=]~?")/g),
    ]);
    const inBy = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, inner = ""]) => [...inner.matchAll(/(\w+)/g)]);
    expect([...inBraces, ...inBy].map(([, label = ""]) => label).filter((label) => !labels.has(label))).toEqual([]);
  });
});

/** Gauges that each node on one database reports alike: their sum would count them several times. */
const OF_THE_DATABASE = /petstore_(?:keys|pets|orders|webhooks|database_size_bytes)\b(?!_)/g;

test.each(asked)("$by takes the greatest of what all nodes report alike", ({ expr }) => {
  states(
    "docs/monitoring.md",
    "Nodes on one database report the same values: take `max by (state) (petstore_keys)`, not the sum.",
  );
  for (const { index } of expr.matchAll(OF_THE_DATABASE))
    expect(expr.slice(0, index)).toMatch(/\bmax by \([^)]*\)\s*\($/);
});

describe.skipIf(!hasPromtool)("Prometheus's own tool accepts", () => {
  test.each(["prometheus.yml", "prometheus.compose.yml"])("%s, with the alerts that it names", (name) => {
    const { status, said } = promtool(["check", "config", join(PROMETHEUS, name)]);
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  test("the tests of the alerts in alerts.test.yml", () => {
    states(
      "docs/backups.md",
      "The alert `PetstoreBackupOverdue` fires when no good backup was made for two intervals.",
    );
    const { status, said } = promtool(["test", "rules", join(PROMETHEUS, "alerts.test.yml")]);
    expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
    const tested = [...read("deploy/prometheus/alerts.test.yml").matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
    expect(alerts.map(({ alert }) => alert).filter((alert) => !tested.includes(alert))).toEqual([]);
  });

  test("calls of getPet are reported from 90 days before its removal on, but those that get 410 and of others are not", () => {
    const directory = temporaryDirectory();
    const rule = alerts.find(({ alert }) => alert === "PetstoreDeprecatedCalls");
    // Prometheus's tests begin in 1970: the removal is 91 days later.
    const expr = rule?.expr.replace(/(?<=vector\(time\(\)\) > )\d+/, `${91 * 86_400}`);
    const groups = [{ name: "one", rules: [{ ...rule, expr }] }];
    writeFileSync(join(directory, "alerts.yml"), stringify({ groups }));
    const called = (job: string, operation: string, status: string) => ({
      series: `petstore_http_requests_total{job="${job}",operation="${operation}",status="${status}"}`,
      values: "0+1x1600",
    });
    const summary = rule?.annotations.summary?.replace(/\{\{.*\}\}/, "1.44k");
    const expected = {
      exp_labels: { ...rule?.labels, job: "shop" },
      exp_annotations: { ...rule?.annotations, summary },
    };
    const series = [
      called("shop", "getPet", "200"),
      called("late", "getPet", "410"),
      called("other", "getPets", "200"),
    ];
    const checks = [
      { eval_time: "24h", alertname: "PetstoreDeprecatedCalls" },
      { eval_time: "24h1m", alertname: "PetstoreDeprecatedCalls", exp_alerts: [expected] },
    ];
    const tests = [{ interval: "1m", input_series: series, alert_rule_test: checks }];
    writeFileSync(
      join(directory, "tests.yml"),
      stringify({ rule_files: ["alerts.yml"], evaluation_interval: "1m", tests }),
    );
    expect(promtool(["test", "rules", join(directory, "tests.yml")])).toMatchObject({ status: 0 });
    rmSync(directory, { recursive: true });
  });

  test("every query of the dashboard", () => {
    const directory = temporaryDirectory();
    const filledIn = (expr: string) => expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$\w+/g, ".*");
    const rules = dashboard.panels.flatMap(({ id, targets }) =>
      targets.map(({ refId, expr }) => ({ record: `panel:${id}:${refId.toLowerCase()}`, expr: filledIn(expr) })),
    );
    const file = join(directory, "queries.yml");
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, said } = promtool(["check", "rules", file]);
    rmSync(directory, { recursive: true });
    expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining(`${rules.length} rules found`) });
  });
});

test("metrics are scraped as often everywhere as Grafana believes, and four times in the shortest range of an alert", () => {
  const seconds = (text: string) => {
    const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
    return Number(count) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[unit] ?? Number.NaN);
  };
  const files = [
    "prometheus/prometheus.yml",
    "prometheus/prometheus.compose.yml",
    "grafana/provisioning/datasources/prometheus.yaml",
    "kubernetes/monitoring/service-monitor.yaml",
    "helm/petstore/values.yaml",
  ];
  const every = files.flatMap((file) =>
    [...read(`deploy/${file}`).matchAll(/\b(?:(?:scrape|evaluation)_)?(?:i|timeI)nterval: (\w+)/g)].map(
      ([, one = ""]) => [file, seconds(one)] as const,
    ),
  );
  expect(new Set(every.map(([file]) => file))).toEqual(new Set(files));
  const [[, interval] = []] = every;
  expect(every).toEqual(every.map(([file]) => [file, interval ?? 0]));
  const ranges = alerts.flatMap(({ expr }) => [...expr.matchAll(/\[(\w+)\]/g)].map(([, one = ""]) => seconds(one)));
  expect(4 * (interval ?? Number.NaN)).toBeLessThanOrEqual(Math.min(...ranges));
});

test("the alert about getPet begins so many days before its removal as its comment says", () => {
  const [, days, removal] =
    /# From (\d+) days before getPet is removed, (\S+)\.\n/.exec(read("deploy/prometheus/alerts.yml")) ?? [];
  const expr = alerts.find(({ alert }) => alert === "PetstoreDeprecatedCalls")?.expr ?? "";
  const [, end, before, day] = /vector\(time\(\)\) > (\d+) - (\d+) \* (\d+)/.exec(expr) ?? [];
  expect([Number(end) * 1_000, Date.parse(removal ?? "")]).toEqual(Array(2).fill(getPet.deprecated?.removedAt));
  expect([before, day]).toEqual([days, "86400"]);
});

describe("the dashboard", () => {
  test("matches Grafana's types", () => {
    const directory = mkdtempSync(join(ROOT, "test/.dashboard-"));
    try {
      // A string literal is treated as the enumeration value with the same text.
      const text = `import type { Dashboard } from "@grafana/schema";
        type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
        export const dashboard: Plain<Dashboard> = ${read("deploy/grafana/dashboard.json")};`;
      writeFileSync(join(directory, "dashboard.ts"), text);
      const tsc = join(ROOT, "node_modules/.bin/tsc");
      const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
      const { status, stdout } = spawnSync(tsc, [...options, join(directory, "dashboard.ts")], { encoding: "utf8" });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("has each panel once, without overlaps, and with a query", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos, type, targets } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets.length > 0).toBe(type !== "row");
    }
  });

  /** What a panel says of its figures, and the part of its queries that makes it true. */
  const saying: [words: RegExp, query: RegExp][] = [
    [/\bp50\b/, /quantile\(0\.5,/],
    [/\bp95\b/, /quantile\(0\.95,/],
    [/\bp99\b/, /quantile\(0\.99,/],
    [/\blongest\b/, /quantile\(1,/],
    [/\b429\b/, /="429"/],
    [/\b5xx\b/, /=~"5\.\."/],
    [/\b24 hours\b/, /\[24h\]/],
    [/\bhour\b/, /\[1h\]/],
    [/\bfive minutes\b/, /\[5m\]/],
    [/\bhits\b/, /result="hit"/],
    [/\bmiss(es|ed)?\b/, /result="miss"/],
    [/\brefused\b/i, /class="429"|outcome!="allowed"/],
    [/^Keys\b/, /petstore_keys\b/],
    [/^Pets\b/, /petstore_pets\b/],
    [/^Orders\b/, /petstore_orders\b/],
  ];
  const shown = dashboard.panels.filter(({ type }) => type !== "row");

  test.each(shown)("asks in $title for what it says there", ({ title, description, targets }) => {
    const words = [title, description, ...targets.map(({ legendFormat }) => legendFormat)].join(" ");
    const queries = targets.map(({ expr }) => expr).join(" ");
    const said = saying.filter(([one]) => one.test(words)).map(([one]) => String(one));
    expect(said).toEqual(saying.filter(([, query]) => query.test(queries)).map(([one]) => String(one)));
  });

  /** The unit of what a query gives: that of the first that it is. */
  const units: [query: RegExp, unit: string][] = [
    [/ \/ /, "percentunit"],
    [/\bhistogram_quantile\(.*_seconds_bucket|^time\(\) - /, "s"],
    [/_bytes\b/, "bytes"],
    [/\brate\(petstore_\w+_(?:requests|decisions)_total\b/, "reqps"],
    [/\brate\(\w+_seconds_count\b/, "ops"],
    [/./, "short"],
  ];

  test.each(shown)("shows $title in the unit of its figures", ({ targets, fieldConfig }) => {
    for (const { expr } of targets)
      expect(fieldConfig?.defaults.unit).toBe(units.find(([query]) => query.test(expr))?.[1] ?? "");
  });

  const figures = shown.filter(({ type }) => type === "stat");

  test.each(figures)(
    "shows $title in green until it reaches a bound, then in a colour that says more",
    ({ fieldConfig, options }) => {
      const thresholds = fieldConfig?.defaults.thresholds;
      expect([thresholds?.mode, fieldConfig?.defaults.color.mode]).toEqual(["absolute", "thresholds"]);
      expect([options.colorMode, options.reduceOptions?.calcs]).toEqual(["value", ["lastNotNull"]]);
      const [lowest, ...bounds] = thresholds?.steps ?? [];
      expect(lowest).toEqual({ color: "green", value: null });
      const values = bounds.map(({ value }) => Number(value));
      expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
      const worse = ["green", "orange", "red"];
      const places = bounds.map((bound) => worse.indexOf(bound.color));
      expect(places).toEqual([...new Set(places)].filter((place) => place > 0).toSorted());
    },
  );

  test.each(shown)("names in $title the labels that its series differ by", ({ targets }) => {
    for (const { expr, legendFormat } of targets) {
      const [, labels] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      if (labels !== undefined) expect(named).toEqual(labels.split(", ").filter((label) => label !== "le"));
    }
  });

  test("asks the Prometheus that is chosen, everywhere", () => {
    const sources: unknown[] = [];
    JSON.parse(read("deploy/grafana/dashboard.json"), (name, value) => {
      if (name === "datasource") sources.push(value);
      return value;
    });
    expect(sources.length).toBeGreaterThan(dashboard.panels.flatMap(({ targets }) => targets).length);
    const others = sources.filter((source) => !Bun.deepEquals(source, { type: "prometheus", uid: `$\{datasource}` }));
    // Those of annotations, which Grafana has by default.
    expect(others).toEqual([{ type: "grafana", uid: "-- Grafana --" }]);
  });

  test("offers as the values of a variable those of the label that its queries compare with it", () => {
    const offered = dashboard.templating.list.flatMap(({ name, query }) =>
      typeof query === "string" ? [] : [[name, /, (\w+)\)$/.exec(query.query)?.[1]]],
    );
    expect(offered).toEqual([
      ["deployment", "deployment"],
      ["instance", "instance"],
    ]);
    const queries = [
      ...asked.map(({ expr }) => expr),
      ...dashboard.templating.list.map(({ query }) => (typeof query === "string" ? "" : query.query)),
    ];
    const compared = queries.flatMap((expr) => [...expr.matchAll(/(\w+)(=~|!~|!?=)"\$(\w+)"/g)]);
    expect(compared.length).toBeGreaterThan(0);
    for (const [, label, operator, name] of compared) expect([operator, label]).toEqual(["=~", name]);
  });

  test("uses only variables that it defines", () => {
    const has = dashboard.templating.list.map(({ name }) => name);
    const used = [...read("deploy/grafana/dashboard.json").matchAll(/\$\{?([a-z]\w*)/g)].map(([, name = ""]) => name);
    expect([...new Set(used)].sort()).toEqual(has.toSorted());
  });
});
