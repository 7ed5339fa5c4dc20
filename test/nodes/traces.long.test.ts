import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Collector, startCollector } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("a node on PostgreSQL and Redis", () => {
  let collector: Collector;
  let nodes: Nodes;
  beforeAll(async () => {
    collector = await startCollector();
    nodes = await startNodes({
      count: 1,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
        OTEL_EXPORTER_OTLP_HEADERS: "x-token=let-me-in",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_RESOURCE_ATTRIBUTES: "service.namespace=shop",
        OTEL_SERVICE_NAME: "pets",
      },
    });
  });
  afterAll(async () => {
    await nodes.remove();
    await collector.stop();
  });

  const spanIdIn = (headers: Headers) => headers.get("traceresponse")?.split("-")[2] ?? "";
  const namesUnder = (spanId: string) =>
    collector.spans
      .filter(({ parentId }) => parentId === spanId)
      .map(({ attributes, name }) => `${attributes["db.system.name"]} ${name}`)
      .sort();

  test("traces the calls of each of many concurrent requests, and no others", async () => {
    const { secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    await client?.get("/v1/pets");
    const asked = [
      ...Array.from({ length: 20 }, (_, i) => client?.get(`/v1/pets?limit=${i + 1}`)),
      ...Array.from({ length: 10 }, () => client?.post("/v1/pets", { name: "Rex", categoryId: 1 })),
    ];
    const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
    const spanIds = answers.map(({ headers }) => spanIdIn(headers));
    expect(new Set(spanIds).size).toBe(30);
    await eventually(() => spanIds.every((id) => collector.spans.some(({ spanId }) => spanId === id)));
    const calls = spanIds.map((id) => namesUnder(id).filter((name) => !name.includes("keys.")));
    expect(calls.slice(0, 20)).toEqual(Array(20).fill(["postgresql pets.list", "redis limiter.take"]));
    expect(calls.slice(20)).toEqual(Array(10).fill(["postgresql pets.create", "redis limiter.take"]));
  });

  test("sends traces as OpenTelemetry's settings say", () => {
    states("docs/monitoring.md", "or `traceidratio`, which ignores the caller's decision.");
    states(
      "docs/monitoring.md",
      "`OTEL_SERVICE_NAME` (`petstore` by default), `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`,",
      "`OTEL_EXPORTER_OTLP_COMPRESSION`",
    );
    expect(collector.headers).toMatchObject({ "x-token": "let-me-in", "content-encoding": "gzip" });
    expect(collector.spans[0]?.resource).toMatchObject({ "service.name": "pets", "service.namespace": "shop" });
  });

  test("marks the failed call and its request, and logs the ids of both", async () => {
    const { secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    expect((await client?.get("/v1/pets"))?.status).toBe(200);
    await nodes.postgres.kill();
    const refused = await client?.get("/v1/pets?limit=11");
    await nodes.postgres.start();
    expect(refused?.status).toBe(503);
    const headers = refused?.headers ?? new Headers();
    const spanId = spanIdIn(headers);
    const found = () => collector.spans.find((span) => span.spanId === spanId);
    await eventually(() => found() !== undefined);
    expect(found()).toMatchObject({ isError: true, attributes: { "error.type": "503" } });
    const calls = () => collector.spans.filter(({ parentId }) => parentId === spanId);
    // A batch of spans that is sent again arrives after the next one.
    await eventually(() => calls().some(({ isError }) => isError));
    // On a busy machine the service looks the key up again.
    expect(calls().find(({ isError }) => isError)?.name).toMatch(/^(pets\.list|keys\.findBySecret)$/);
    const line = () => nodes.node(0).log.find(({ requestId }) => requestId === headers.get("X-Request-Id"));
    await eventually(() => line() !== undefined);
    expect(line()).toMatchObject({ span_id: spanId, trace_id: found()?.traceId });
  });
});
