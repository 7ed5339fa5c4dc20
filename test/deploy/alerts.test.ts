import { expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { operations as administration } from "../../src/adapters/http/admin/operations/index.ts";
import { read } from "../support/markdown.ts";
import { hasPromtool, promtool } from "../support/metrics.ts";
import { temporaryDirectory } from "../support/temporary.ts";

if (!hasPromtool) console.log("skipped: the bounds of the alerts are not tried, without promtool on this machine");

const Texts = z.record(z.string(), z.string());
const Rule = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: Texts,
  annotations: Texts,
});
const { groups } = z
  .object({ groups: z.array(z.object({ rules: z.array(Rule) })) })
  .parse(parse(read("deploy/prometheus/alerts.yml")));
const rules = groups.flatMap((group) => group.rules);

/** The values of a series, one a minute, in Prometheus's notation. */
type Values = string;
/** A gauge that stays. */
const steady = (value: number): Values => `${value}x800`;
/** A counter that grows by so much in a minute; or begins to at this minute, or ends to. */
const growing = (by: number): Values => `0+${by}x800`;
const growingFrom = (minute: number, by: number): Values => `0x${minute} ${by}+${by}x700`;
const growingUntil = (minute: number, by: number): Values => `0+${by}x${minute} ${by * minute}x700`;
/** How a time that is so many seconds ago grows. */
const ago = (seconds: number): Values => `${-seconds}+60x800`;
/** A gauge that has another value from this minute on. */
const stepping = (before: number, minute: number, after: number): Values => `${before}x${minute - 1} ${after}x700`;

type Series = Record<string, Values>;
/** Of 100 calls a minute, so many take no longer than the bound; all within twice of it. */
const withinBound = (name: string, bound: number, calls: number, labels = ""): Series => ({
  [`${name}{${labels}le="${bound}"}`]: growing(calls),
  [`${name}{${labels}le="${2 * bound}"}`]: growing(100),
  [`${name}{${labels}le="+Inf"}`]: growing(100),
});
/** The same calls, which are fast until this minute, and slow from then on. */
const slowFrom = (minute: number, name: string, bound: number): Series => ({
  [`${name}{le="${bound}"}`]: growingUntil(minute, 100),
  [`${name}{le="${2 * bound}"}`]: growing(100),
  [`${name}{le="+Inf"}`]: growing(100),
});

type Case = {
  alert: string;
  /** The label that names what the alert is about. */
  by: "instance" | "job" | "deployment";
  /** Of which no alert is raised, and of which there is one. */
  calm: Series[];
  alarming: Series;
  /** The minute at which it is raised, and that at which it has ended, if it does. */
  raised: number;
  ended?: number;
  /** Versions of Prometheus differ in whether a range has its first moment: so many minutes earlier or later are right, too. */
  slack?: number;
};

const REQUESTS = "petstore_http_requests_total";
const DURATION = "petstore_http_request_duration_seconds_bucket";
const STORE = "petstore_store_duration_seconds_bucket";
const DELAY = "petstore_event_loop_delay_seconds_bucket";
const ALONE = "petstore_limiter_fallback_requests_total";
const DECISIONS = "petstore_limiter_decisions_total";
const SIZE = "petstore_database_size_bytes";

const responses = (good: number, failed: Values, refused = 0): Series => ({
  [`${REQUESTS}{status="200"}`]: growing(good),
  [`${REQUESTS}{status="429"}`]: growing(refused),
  [`${REQUESTS}{status="503"}`]: failed,
});
const decided = (alone: Values): Series => ({
  [`${DECISIONS}{limit="key"}`]: growing(1_000),
  [`${DECISIONS}{limit="address"}`]: growing(5_000),
  [ALONE]: alone,
});
const refused = (by: Values, limit = "address", outcome = "rate_limit_exceeded"): Series => ({
  [`${DECISIONS}{limit="${limit}",outcome="${outcome}"}`]: by,
});

/** Each alert at its bound: what reaches it raises none, what is beyond does, as soon as it has lasted, and no earlier. */
const cases: Case[] = [
  { alert: "PetstoreDown", by: "instance", calm: [{ up: steady(1) }], alarming: { up: steady(0) }, raised: 1 },
  {
    ...{ alert: "PetstoreDatabaseDamaged", by: "instance", raised: 0 },
    calm: [{ petstore_database_damaged: steady(0) }],
    alarming: { petstore_database_damaged: steady(1) },
  },
  {
    ...{ alert: "PetstoreBackupOverdue", by: "instance", raised: 10 },
    calm: [
      { petstore_backup_interval_seconds: steady(600), petstore_backup_last_success_timestamp_seconds: ago(1_200) },
      { petstore_backup_interval_seconds: steady(0), petstore_backup_last_success_timestamp_seconds: ago(9_000) },
    ],
    alarming: {
      petstore_backup_interval_seconds: steady(600),
      petstore_backup_last_success_timestamp_seconds: ago(1_201),
    },
  },
  {
    ...{ alert: "PetstoreErrors", by: "instance", raised: 3 },
    calm: [responses(990, growing(10)), responses(500, growing(10), 490)],
    alarming: responses(980, growing(11)),
  },
  {
    // Two in a hundred from minute 20 on: over five minutes that is one from the third on.
    ...{ alert: "PetstoreErrors", by: "instance", raised: 20 + 3 + 2, slack: 1 },
    calm: [responses(980, steady(0))],
    alarming: responses(980, growingFrom(20, 20)),
  },
  {
    ...{ alert: "PetstoreSlow", by: "instance", raised: 11 },
    calm: [withinBound(DURATION, 0.25, 99, 'operation="a",'), withinBound(DURATION, 0.25, 0, 'operation="other",')],
    alarming: withinBound(DURATION, 0.25, 98.9, 'operation="a",'),
  },
  {
    ...{ alert: "PetstoreSlow", by: "instance", raised: 31, ended: 46, slack: 2 },
    calm: [],
    alarming: { ...slowFrom(20, DURATION, 0.25), [`${DURATION}{le="0.25"}`]: "0+100x20 2000x20 2100+100x700" },
  },
  {
    ...{ alert: "PetstoreStoreErrors", by: "instance", raised: 3, ended: 25, slack: 1 },
    calm: [{ petstore_store_errors_total: steady(7) }],
    alarming: { petstore_store_errors_total: growingUntil(20, 1) },
  },
  {
    ...{ alert: "PetstoreBackgroundTaskFailures", by: "instance", raised: 6, ended: 25, slack: 1 },
    calm: [{ petstore_background_task_failures_total: steady(7) }],
    alarming: { petstore_background_task_failures_total: growingUntil(20, 1) },
  },
  {
    ...{ alert: "PetstoreClockWrong", by: "instance", raised: 3 },
    calm: [{ petstore_clock_difference_seconds: steady(2) }, { petstore_clock_difference_seconds: steady(-2) }],
    alarming: { petstore_clock_difference_seconds: steady(-2.1) },
  },
  {
    ...{ alert: "PetstoreStoreSlow", by: "instance", raised: 11 },
    calm: [withinBound(STORE, 0.5, 99)],
    alarming: withinBound(STORE, 0.5, 98.9),
  },
  {
    ...{ alert: "PetstoreStoreSlow", by: "instance", raised: 31, ended: 46, slack: 2 },
    calm: [],
    alarming: { ...slowFrom(20, STORE, 0.5), [`${STORE}{le="0.5"}`]: "0+100x20 2000x20 2100+100x700" },
  },
  {
    ...{ alert: "PetstoreLimitsCountedAlone", by: "instance", raised: 2 },
    calm: [{ petstore_limiter_fallback_active: steady(0) }],
    alarming: { petstore_limiter_fallback_active: steady(1) },
  },
  {
    ...{ alert: "PetstoreLimitsOftenCountedAlone", by: "instance", raised: 16 },
    calm: [decided(growing(10))],
    alarming: decided(growing(11)),
  },
  {
    // Three in a hundred from minute 20 on: over a quarter of an hour that is one from the sixth on.
    ...{ alert: "PetstoreLimitsOftenCountedAlone", by: "instance", raised: 20 + 6 + 15, slack: 1 },
    calm: [decided(steady(0))],
    alarming: decided(growingFrom(20, 30)),
  },
  {
    ...{ alert: "PetstoreRedisEvicts", by: "job", raised: 1 },
    calm: [{ petstore_redis_may_evict: steady(0) }],
    alarming: { petstore_redis_may_evict: steady(1) },
  },
  {
    ...{ alert: "PetstoreWebhookFailed", by: "job", raised: 0 },
    calm: ["enabled", "failing", "disabled"].map((state) => ({ [`petstore_webhooks{state="${state}"}`]: steady(3) })),
    alarming: { 'petstore_webhooks{state="failed"}': steady(1) },
  },
  {
    // Six an hour from minute 120 on, and none any more from minute 240 on.
    ...{ alert: "PetstoreBans", by: "job", raised: 171, ended: 251, slack: 1 },
    calm: [{ petstore_bans_total: growing(4.9 / 60) }],
    alarming: { petstore_bans_total: "0x120 0.1+0.1x119 12x400" },
  },
  {
    ...{ alert: "PetstoreAnonymousRefused", by: "instance", raised: 15, slack: 1 },
    calm: [refused(growing(60)), refused(growing(600), "key"), refused(growing(600), "address", "allowed")],
    alarming: refused(growing(61)),
  },
  {
    // Two a second from minute 20 on: over five minutes that is one from the third on.
    ...{ alert: "PetstoreAnonymousRefused", by: "instance", raised: 20 + 3 + 10, slack: 1 },
    calm: [],
    alarming: refused(growingFrom(20, 120)),
  },
  {
    ...{ alert: "PetstoreFileDescriptors", by: "instance", raised: 5 },
    calm: [{ process_open_fds: steady(800), process_max_fds: steady(1_000) }],
    alarming: { process_open_fds: steady(801), process_max_fds: steady(1_000) },
  },
  {
    ...{ alert: "PetstoreMemory", by: "instance", raised: 15 },
    calm: [{ process_resident_memory_bytes: steady(1e9) }],
    alarming: { process_resident_memory_bytes: steady(1e9 + 1) },
  },
  {
    ...{ alert: "PetstoreEventLoopDelay", by: "instance", raised: 11 },
    calm: [withinBound(DELAY, 0.1, 99)],
    alarming: withinBound(DELAY, 0.1, 98.9),
  },
  {
    ...{ alert: "PetstoreEventLoopDelay", by: "instance", raised: 31, ended: 46, slack: 2 },
    calm: [],
    alarming: { ...slowFrom(20, DELAY, 0.1), [`${DELAY}{le="0.1"}`]: "0+100x20 2000x20 2100+100x700" },
  },
  {
    // A small database triples; a large one grows by exactly half, another by more.
    ...{ alert: "PetstoreDatabaseGrowth", by: "deployment", raised: 365 + 15, ended: 365 + 360 },
    calm: [{ [SIZE]: stepping(1e9 / 3, 365, 1e9) }, { [SIZE]: stepping(2e9, 365, 3e9) }],
    alarming: { [SIZE]: stepping(1e9, 365, 1.5e9 + 1) },
  },
  {
    ...{ alert: "PetstoreStatisticsOld", by: "instance", raised: 5 },
    calm: [{ petstore_store_statistics_timestamp_seconds: ago(300) }],
    alarming: { petstore_store_statistics_timestamp_seconds: ago(301) },
  },
  {
    ...{ alert: "PetstoreRestarts", by: "instance", raised: 4, ended: 61, slack: 1 },
    calm: [{ process_start_time_seconds: "1 2 3 4x600" }],
    alarming: { process_start_time_seconds: "1 2 3 4 5x600" },
  },
  {
    ...{ alert: "PetstoreWorkersLost", by: "instance", raised: 20, ended: 80, slack: 1 },
    calm: [{ petstore_workers_lost_total: steady(9) }],
    alarming: { petstore_workers_lost_total: stepping(0, 20, 1) },
  },
];

/** A series with the labels of a thing; those that the alerts expect of every series have their usual values. */
function seriesOf(name: string, by: Case["by"], thing: string): string {
  const [, metric = "", own = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  const labels = { job: "petstore", instance: "x", deployment: "production", [by]: thing };
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${metric}{${[...all, ...(own === "" ? [] : [own])].join()}}`;
}

test.skipIf(!hasPromtool)("each alert is raised beyond its bound, once that has lasted, and ends", () => {
  const directory = temporaryDirectory();
  const files = cases.map(({ alert, by, calm, alarming, raised, ended, slack = 0 }, at) => {
    const things = [...calm.map((series, at) => [`calm-${at}`, series] as const), ["alarming", alarming] as const];
    const expectation = (minute: number, isRaised: boolean) => ({
      expr: `count by (${by}) (ALERTS{alertname="${alert}",alertstate="firing"})`,
      eval_time: `${minute}m`,
      exp_samples: isRaised ? [{ labels: `{${by}="alarming"}`, value: 1 }] : [],
    });
    const test = {
      interval: "1m",
      input_series: things.flatMap(([thing, series]) =>
        Object.entries(series).map(([name, values]) => ({ series: seriesOf(name, by, thing), values })),
      ),
      promql_expr_test: [
        ...(raised === 0 ? [] : [expectation(raised - 1 - slack, false)]),
        expectation(raised + slack, true),
        ...(ended === undefined ? [] : [expectation(ended - 1 - slack, true), expectation(ended + slack, false)]),
      ],
    };
    // Each with its own rule alone: Prometheus evaluates all that a file names, for hours.
    const group = { name: alert, rules: rules.filter((rule) => rule.alert === alert) };
    writeFileSync(join(directory, `${at}-alerts.yml`), stringify({ groups: [group] }));
    const file = join(directory, `${at}-${alert}.yml`);
    writeFileSync(
      file,
      stringify({ rule_files: [`${at}-alerts.yml`], evaluation_interval: "1m", tests: [test] }, { lineWidth: 0 }),
    );
    return file;
  });
  const { status, said } = promtool(["test", "rules", ...files]);
  rmSync(directory, { recursive: true });
  expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
  // That about getPet has a test of its own.
  const tried = [...cases.map(({ alert }) => alert), "PetstoreDeprecatedCalls"];
  expect(rules.map(({ alert }) => alert).filter((alert) => !tried.includes(alert))).toEqual([]);
});

test("an alert says how urgent it is in one of three words, and most urgent is what stops the service or loses data", () => {
  const bySeverity = Object.groupBy(rules, ({ labels }) => labels.severity ?? "none");
  const names = (severity: string) => bySeverity[severity]?.map(({ alert }) => alert.replace("Petstore", ""));
  expect(Object.keys(bySeverity).sort()).toEqual(["critical", "info", "warning"]);
  expect(names("critical")).toEqual(["Down", "DatabaseDamaged", "BackupOverdue", "Errors", "ClockWrong"]);
  expect(names("info")).toEqual(["DeprecatedCalls"]);
});

test("what an alert sends its reader to exists: documents, metrics, alerts, and paths of the administration interface", () => {
  const texts = rules.flatMap(({ annotations }) => Object.values(annotations)).join("\n");
  const found = (pattern: RegExp) => [...new Set([...texts.matchAll(pattern)].map(([, name = ""]) => name))];
  const paths = administration.map(({ method, path }) => `${method.toUpperCase()} /admin/v1${path}`);
  const documents = found(/\b(docs\/[\w-]+\.md)\b/g);
  expect(documents.filter((path) => !existsSync(path))).toEqual([]);
  const monitoring = read("docs/monitoring.md");
  const metrics = found(/\b((?:petstore|process)_[a-z_]+)\b/g);
  expect(metrics.filter((name) => !monitoring.includes(`\`${name}\``))).toEqual([]);
  const alerts = found(/\b(Petstore[A-Z]\w+)/g);
  expect(alerts.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([]);
  const operations = found(/\b([A-Z]+ \/admin\/v1\/[\w/{}]+)/g);
  expect(operations.filter((one) => !paths.includes(one))).toEqual([]);
  for (const some of [documents, metrics, alerts, operations]) expect(some.length).toBeGreaterThan(0);
});
