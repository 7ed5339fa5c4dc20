import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { hasPromtool, metricsAt, promtool, ReadMetrics } from "../../support/metrics.ts";
import { runtime } from "../../support/runtime.ts";
import { startService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

if (!hasPromtool) console.log("skipped: /metrics is not checked by promtool, which is not on this machine");

const DOCUMENT = readFileSync(join(import.meta.dir, "../../../docs/monitoring.md"), "utf8");
const wordsIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);

const REQUESTS = "petstore_http_requests_total";
const DURATION = "petstore_http_request_duration_seconds";

const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging" } });

const metrics = () => metricsAt(service.adminUrl);

test("every request is counted once, by its operation, its method and its status", async () => {
  states("docs/running.md", "Neither needs a key, and neither is counted.");
  states(
    "docs/monitoring.md",
    "`petstore_http_requests_total` | counter | `operation`, `method`, `status` | Requests under `/v1` and to `/mcp` that were answered.",
    "`petstore_limiter_decisions_total` | counter | `limit`, `outcome` | Decisions of the limits: for requests with a valid key (`key`), and for others (`address`).",
    "`operation` is the name of an operation or `other`.",
  );
  await using own = await startService();
  const client = own.withSecret((await own.createKey()).secret);
  const anonymous = own.anonymous();
  for (let i = 0; i < 7; i++) await client.get("/v1/pets?limit=3");
  for (let i = 0; i < 3; i++) await client.post("/v1/pets", { name: "Rex", categoryId: i });
  await client.post("/v1/pets", { name: "" });
  for (const id of ["1", "2", "99", "x"]) await client.get(`/v1/pets/${id}`);
  for (let i = 0; i < 2; i++) await anonymous.get("/v1/pets");
  await client.request("/v1/pets", { method: "HEAD" });
  await client.request("/v1/pets", { method: "PUT", body: "{}" });
  await client.get("/v1/cats");
  await client.get("/v1/usage");
  await anonymous.get("/readyz");
  const read = await metricsAt(own.adminUrl);
  const counted = Object.fromEntries(
    read
      .all(REQUESTS)
      .map(({ labels: { operation, method, status }, value }) => [`${operation} ${method} ${status}`, value]),
  );
  expect(counted).toEqual({
    "listPets GET 200": 7,
    "listPets GET 401": 2,
    "listPets HEAD 200": 1,
    "createPet POST 201": 3,
    "createPet POST 400": 1,
    "getPet GET 200": 2,
    "getPet GET 404": 2,
    "getUsage GET 200": 1,
    "other PUT 405": 1,
    "other GET 404": 1,
  });
  const decided = (limit: string, outcome: string) =>
    read.value("petstore_limiter_decisions_total", { limit, outcome });
  expect([decided("key", "allowed"), decided("address", "allowed")]).toEqual([18, 2]);
  const calls = (operation: string) =>
    read.value("petstore_store_duration_seconds_count", { store: own.store.system, operation });
  expect([calls("pets.create"), calls("pets.get")]).toEqual([3, 3]);
  expect(read.sum("petstore_store_errors_total")).toBe(0);
  // Each request looks up its key: in memory, unless something was written in between.
  expect(read.sum("petstore_key_cache_total")).toBe(19);
  expect(read.value("petstore_key_cache_total", { result: "hit" })).toBeGreaterThan(0);
  const misses = read.value("petstore_key_cache_total", { result: "miss" });
  if (own.store.engine === "sqlite") expect(calls("keys.findBySecret")).toBe(misses);
  // On PostgreSQL keys are also refreshed in the background, which is not a miss.
  else expect(calls("keys.findBySecret")).toBeGreaterThanOrEqual(misses);
});

test("histograms are cumulative: buckets grow, and the last has all observations", async () => {
  const client = await service.withKey();
  await client.spend(20);
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const read = await metrics();
  for (const name of [DURATION, "petstore_store_duration_seconds"]) {
    const counts = read.all(`${name}_count`);
    expect(counts.length).toBeGreaterThan(1);
    for (const { labels, value } of counts) {
      const buckets = read.all(`${name}_bucket`, labels).map((bucket) => bucket.value);
      expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
      expect(buckets.at(-1)).toBe(value);
      const sum = read.value(`${name}_sum`, labels);
      if (value > 0) expect(sum).toBeGreaterThan(0);
      expect(sum).toBeLessThan(60);
    }
  }
  for (const { labels, value } of read.all(REQUESTS)) expect(read.value(`${DURATION}_count`, labels)).toBe(value);
});

test("refusals are counted by limit, and a ban once, when it begins", async () => {
  const before = await metrics();
  const { secret } = await service.createKey({ limits: { perMinute: 2, perDay: 100_000 } });
  const client = service.withSecret(secret);
  await client.spend(3);
  await service.advance({ seconds: 2 });
  await client.spend(105);
  const quota = service.withSecret((await service.createKey({ limits: { perMinute: 9, perDay: 1 } })).secret);
  await quota.spend(3);
  const after = await metrics();
  const grown = (name: string, labels: Record<string, string> = {}) =>
    after.value(name, labels) - before.value(name, labels);
  const byOutcome = ["allowed", "rate_limit_exceeded", "quota_exceeded", "key_banned"].map((outcome) =>
    grown("petstore_limiter_decisions_total", { limit: "key", outcome }),
  );
  expect(byOutcome).toEqual([3, 100, 2, 6]);
  expect(grown("petstore_bans_total")).toBe(1);
});

test("requests cannot create arbitrary labels", async () => {
  const client = await service.withKey();
  const ask = async (i: number) => {
    await client.get(`/v1/pets/${i}?x=${i}`);
    await client.get(`/v1/pet-${i}`);
    await client.request("/v1/pets", { method: i % 2 === 0 ? "PATCH" : "DELETE" });
  };
  await ask(0);
  await ask(1);
  const before = (await metrics()).samples.length;
  for (let i = 2; i < 40; i++) await ask(i);
  expect((await metrics()).samples).toHaveLength(before);
});

test("it shows version, start time and resource usage", async () => {
  states("docs/monitoring.md", "| `process_open_fds`, `process_max_fds` | gauge | | File descriptors, on Linux. |");
  const read = await metrics();
  const [build] = read.all("petstore_build_info");
  expect(build?.labels).toMatchObject({ version: "1.0.0", deployment: "staging" });
  expect(build?.labels.runtime).toStartWith(runtime === "bun" ? "Bun 1." : "Node 2");
  const began = read.value("process_start_time_seconds");
  expect(Math.abs(Date.now() / 1000 - began)).toBeLessThan(300);
  expect(read.value("process_cpu_seconds_total")).toBeGreaterThan(0.01);
  expect(read.value("process_resident_memory_bytes")).toBeGreaterThan(10e6);
  expect(read.value("process_open_fds")).toBeGreaterThan(3);
  expect(read.value("process_max_fds")).toBeGreaterThan(read.value("process_open_fds"));
  expect(read.value("petstore_limiter_fallback_active")).toBe(0);
});

test("every background task is counted from its first run on, without a failure", async () => {
  const tasks = [
    "compare_clocks",
    "delete_by_retention",
    "delete_idempotency_keys",
    "delete_old_events",
    "delete_old_requests",
    "delete_old_usage",
    "deliver_webhooks",
    "end_abandoned_imports",
    "expire_orders",
    "raise_alerts",
    "record_bans",
    "sweep_limits",
    "write_counters",
    "write_requests",
    "write_usage",
  ];
  const tasksIn = (name: string, read: ReadMetrics) => read.all(name).map(({ labels }) => labels.task);
  await eventually(async () => tasksIn("petstore_background_task_runs_total", await metrics()).length === tasks.length);
  const read = await metrics();
  expect(tasksIn("petstore_background_task_runs_total", read).sort()).toEqual(tasks);
  expect(tasksIn("petstore_background_task_failures_total", read).sort()).toEqual(tasks);
  expect(read.sum("petstore_background_task_failures_total")).toBe(0);
});

test("simulated requests are counted apart, by what they simulate", async () => {
  states(
    "docs/monitoring.md",
    "`petstore_simulated_requests_total` | counter | `operation`, `simulation` | Requests on staging whose response was simulated, by error code, `disconnect`, `lost-answer`, `delay` or `now`. No other metric of requests counts them.",
  );
  const client = await service.withKey();
  const before = await metrics();
  const simulations = ["key_banned", "delay=1, internal_error", "delay=1", "now=2030-01-01T00:00:00Z, delay=1"];
  for (const simulation of simulations) await client.get("/v1/pets", { "Petstore-Simulate": simulation });
  const after = await metrics();
  const simulated = (simulation: string) =>
    after.value("petstore_simulated_requests_total", { operation: "listPets", simulation });
  for (const simulation of ["key_banned", "internal_error", "delay", "now"]) expect(simulated(simulation)).toBe(1);
  const grown = (name: string) => after.sum(name) - before.sum(name);
  expect(grown("petstore_http_requests_total")).toBe(0);
  expect(grown("petstore_http_request_duration_seconds_count")).toBe(0);
  expect(grown("petstore_bans_total")).toBe(0);
  expect(grown("petstore_limiter_decisions_total")).toBe(simulations.length);
});

test("docs/monitoring.md lists exactly the metrics, with type and labels", async () => {
  const { text, samples } = await metrics();
  const exposed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => {
    const labels = samples
      .filter((sample) => sample.name === name || sample.name === `${name}_count`)
      .flatMap((sample) => Object.keys(sample.labels));
    return [name, type, [...new Set(labels)].sort().join()];
  });
  const rows = [...DOCUMENT.matchAll(/^\| (`(?:petstore|process)_\S*`(?:, `\S+`)*) \| (\w+) \|([^|]*)\|/gm)];
  const documented = rows.flatMap(([, names = "", type = "", labels = ""]) =>
    wordsIn(names).map((name) => [name, type, wordsIn(labels).sort().join()]),
  );
  // The service makes no backups of PostgreSQL.
  const isOfEngine = ([name]: string[]) => service.store.engine === "sqlite" || !name?.startsWith("petstore_backup_");
  expect(documented.filter(isOfEngine).sort()).toEqual(exposed.sort());
});

test.skipIf(!hasPromtool)("promtool finds no problems", async () => {
  expect(promtool(["check", "metrics"], (await metrics()).text)).toEqual({ status: 0, said: "" });
});

test("it is text in Prometheus's format, only on the administration listener, and contains no key", async () => {
  states(
    "docs/monitoring.md",
    "`/metrics` on the administration listener (`PETSTORE_ADMIN_HOST`, `PETSTORE_ADMIN_PORT`) returns metrics in the text format of Prometheus.",
    "No label contains a key,",
  );
  const { secret, id } = await service.createKey();
  await service.withSecret(secret).get(`/v1/${secret}`);
  const response = await fetch(`${service.adminUrl}/metrics`);
  expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const text = await response.text();
  expect(text).not.toContain("pets_stag_");
  expect(text).not.toContain(id);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${service.adminUrl}/metrics`, { method: "POST" })).status).toBe(405);
});

test("it is only for operators if so configured", async () => {
  await using own = await startService({ env: { PETSTORE_METRICS_ACCESS: "operators" } });
  const { status, headers } = await fetch(`${own.adminUrl}/metrics`);
  expect(status).toBe(401);
  expect(headers.get("WWW-Authenticate")).toStartWith("Bearer ");
  const { token } = await own.withOperator("viewer", "Prometheus");
  const ask = (bearer: string) => fetch(`${own.adminUrl}/metrics`, { headers: { Authorization: `Bearer ${bearer}` } });
  const answer = await ask(token);
  expect(answer.status).toBe(200);
  expect(new ReadMetrics(await answer.text()).value("petstore_bans_total")).toBe(0);
  expect((await ask((await own.createKey()).secret)).status).toBe(401);
});
