import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { hasPromtool, metricsAt, promtool } from "../support/metrics.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("a node on PostgreSQL and Redis", () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes({ count: 1 });
  });
  afterAll(() => nodes.remove());
  const metrics = () => metricsAt(nodes.node(0).adminUrl);

  test("counts its calls of both, each once", async () => {
    const { secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    for (let i = 0; i < 5; i++) await client?.get(`/v1/pets?limit=${i + 1}`);
    await client?.post("/v1/pets", { name: "Rex", categoryId: 1 });
    await client?.get("/v1/pets/1");
    const read = await metrics();
    const calls = (store: string, operation: string) =>
      read.value("petstore_store_duration_seconds_count", { store, operation });
    expect([calls("postgresql", "pets.list"), calls("postgresql", "pets.create")]).toEqual([5, 1]);
    expect([calls("postgresql", "pets.get"), calls("redis", "limiter.take")]).toEqual([1, 7]);
    await client?.get("/v1/usage");
    const count = { store: "redis", operation: "limiter.status" };
    expect((await metrics()).value("petstore_store_duration_seconds_count", count)).toBe(1);
    expect(read.sum("petstore_http_requests_total", { status: "200" })).toBe(6);
    expect(read.sum("petstore_key_cache_total")).toBe(7);
    expect(read.value("petstore_key_cache_total", { result: "miss" })).toBeGreaterThanOrEqual(1);
    expect(read.value("petstore_limiter_decisions_total", { limit: "key", outcome: "allowed" })).toBe(7);
    expect(read.value("petstore_limiter_fallback_active")).toBe(0);
    if (hasPromtool) expect(promtool(["check", "metrics"], read.text)).toEqual({ status: 0, said: "" });
  });

  test("shows that it counts limits alone, and how often it began to", async () => {
    states(
      "docs/monitoring.md",
      "Times that a process began to count limits alone, because Redis",
      "1 while a process counts limits alone.",
    );
    const { secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    await client?.get("/v1/pets");
    const before = (await metrics()).value("petstore_limiter_fallbacks_total");
    await nodes.redis.kill();
    expect((await client?.get("/v1/pets"))?.status).toBe(200);
    const away = await metrics();
    expect(away.value("petstore_limiter_fallback_active")).toBe(1);
    expect(away.value("petstore_limiter_fallbacks_total")).toBe(before + 1);
    expect(away.sum("petstore_store_errors_total", { store: "redis" })).toBeGreaterThan(0);
    await nodes.redis.start();
    await eventually(async () => (await metrics()).value("petstore_limiter_fallback_active") === 0);
  });

  test("counts limits alone from its start when Redis is away then", async () => {
    const { secret } = await nodes.createKey();
    const node = nodes.node(0);
    await node.stop();
    await nodes.redis.kill();
    await node.start();
    const atStart = await metrics();
    expect(atStart.value("petstore_limiter_fallback_active")).toBe(1);
    expect(atStart.value("petstore_limiter_fallbacks_total")).toBe(1);
    expect((await nodes.clients(secret)[0]?.get("/v1/pets"))?.status).toBe(200);
    await nodes.redis.start();
    await eventually(async () => (await metrics()).value("petstore_limiter_fallback_active") === 0);
  });

  test("serves the last numbers of the database, with their time, while it does not answer", async () => {
    states(
      "docs/monitoring.md",
      "Gauges of the database are read when Prometheus asks, at most every five seconds. If the database does not answer within half a second, `/metrics` returns their last values",
    );
    const before = await metrics();
    const readAt = before.value("petstore_store_statistics_timestamp_seconds");
    expect(readAt).toBeGreaterThan(0);
    nodes.postgres.freeze();
    try {
      // They are read again when they are five seconds old.
      await pause(5_100);
      const startedAt = performance.now();
      const during = await metrics();
      // It does not answer for as long as the test lasts.
      expect(performance.now() - startedAt).toBeLessThan(besideLoad(20_000));
      for (const name of ["petstore_keys", "petstore_pets", "petstore_orders", "petstore_database_size_bytes"]) {
        expect(during.all(name)).toEqual(before.all(name));
      }
      expect(during.value("petstore_store_statistics_timestamp_seconds")).toBe(readAt);
    } finally {
      nodes.postgres.thaw();
    }
    await eventually(async () => (await metrics()).value("petstore_store_statistics_timestamp_seconds") > readAt);
  });

  test("counts failed database calls, and still serves its metrics", async () => {
    const { secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    expect((await client?.get("/v1/pets"))?.status).toBe(200);
    await nodes.postgres.kill();
    expect((await client?.get("/v1/pets?limit=9"))?.status).toBe(503);
    const read = await metrics();
    const failed = { store: "postgresql", operation: "pets.list" };
    expect(read.value("petstore_store_errors_total", failed)).toBe(1);
    expect(read.value("petstore_http_requests_total", { operation: "listPets", status: "503" })).toBe(1);
    await nodes.postgres.start();
  });
});
