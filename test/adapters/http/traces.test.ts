import { afterAll, beforeAll, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Collector, type ReceivedSpan, startCollector } from "../../support/collector.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { RawSocket } from "../../support/raw-socket.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

/** A client's span in the W3C header: version, trace, span, and whether it is recorded. */
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const RECORDED = { traceparent: `00-${TRACE}-${CALLER}-01` };
const NOT_RECORDED = { traceparent: `00-${TRACE}-${CALLER}-00` };

const collector = await startCollector();
afterAll(() => collector.stop());
const service = useService({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, PETSTORE_REQUEST_LOG: "true" },
});

// All at once: a connection to PostgreSQL, which each of the first requests needs, takes a while on a busy machine.
beforeAll(async () => {
  const client = await service.withKey();
  const ask = async () => (await client.get("/v1/pets?limit=1")).status;
  await eventually(async () => (await Promise.all(Array.from({ length: 16 }, ask))).every((status) => status === 200));
});

const idsIn = (headers: Headers) => {
  const [, traceId = "", spanId = ""] = headers.get("traceresponse")?.split("-") ?? [];
  return { traceId, spanId };
};

/** The span in a response's header, and its children, when the collector has received them. */
async function traceOf(headers: Headers): Promise<{ span: ReceivedSpan; children: ReceivedSpan[] }> {
  const { traceId, spanId } = idsIn(headers);
  const found = () => collector.spans.find((span) => span.traceId === traceId && span.spanId === spanId);
  await eventually(() => found() !== undefined);
  const span = found();
  if (span === undefined) throw new Error("it is gone again");
  return { span, children: collector.spans.filter(({ parentId }) => parentId === spanId) };
}

test.concurrent("a request is a span, and what it asks of the store are spans under it", async () => {
  states("docs/interface.md", "each response under `/v1` names its own span in `traceresponse`, in the same form.");
  states(
    "docs/monitoring.md",
    "each request under `/v1`,",
    "and so is each call of SQLite, PostgreSQL or Redis that it makes.",
    "Each response names its own span in `traceresponse`.",
    "Method, path, route, status, request id and key id.",
  );
  const { secret, id } = await service.createKey();
  const { headers } = await service.withSecret(secret).get("/v1/pets?limit=7");
  expect(headers.get("traceresponse")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const { span, children } = await traceOf(headers);
  expect(span).toMatchObject({
    ...idsIn(headers),
    parentId: "",
    name: "GET /v1/pets",
    kind: "server",
    isError: false,
    attributes: {
      "http.request.method": "GET",
      "http.route": "/v1/pets",
      "http.response.status_code": 200,
      "url.path": "/v1/pets",
      "url.scheme": "http",
      "petstore.key.id": id,
      "petstore.request.id": headers.get("X-Request-Id") ?? "",
    },
    resource: { "service.name": "petstore", "service.version": "1.0.0", "deployment.environment.name": "production" },
  });
  const asked = children.map(({ name, kind, attributes }) => ({ name, kind, attributes }));
  const attributesOf = (operation: string) => ({
    "db.system.name": service.store.system,
    "db.operation.name": operation,
  });
  expect(asked).toEqual([
    { name: "keys.findBySecret", kind: "client", attributes: attributesOf("keys.findBySecret") },
    { name: "pets.list", kind: "client", attributes: attributesOf("pets.list") },
  ]);
  for (const child of children) expect(child.duration).toBeLessThanOrEqual(span.duration);
});

test.concurrent("a key in a request id is not in the span", async () => {
  const { secret } = await service.createKey();
  const { headers } = await service.withSecret(secret).get("/v1/pets", { "X-Request-Id": `of.${secret}` });
  const { span } = await traceOf(headers);
  expect(span.attributes["petstore.request.id"]).toBe(headers.get("X-Request-Id") ?? "");
  expect(JSON.stringify(span)).not.toContain(secret);
});

test.concurrent("a creation's span lasts until the pet is on the disk", async () => {
  const client = await service.withKey();
  const { headers } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const { span, children } = await traceOf(headers);
  expect(span).toMatchObject({ name: "POST /v1/pets", attributes: { "http.response.status_code": 201 } });
  const [created] = children.filter(({ name }) => name === "pets.create");
  expect(created?.duration).toBeGreaterThan(0);
  expect(created?.duration).toBeLessThanOrEqual(span.duration);
});

test.concurrent("a caller's trace goes on here", async () => {
  states("docs/interface.md", "If the service is traced, it continues your `traceparent` (W3C Trace Context),");
  states(
    "docs/monitoring.md",
    "A caller's `traceparent` (W3C Trace Context) is continued: the request's span is a child of the caller's.",
  );
  const client = await service.withKey();
  const { headers } = await client.get("/v1/pets/1", RECORDED);
  const { span } = await traceOf(headers);
  expect(span).toMatchObject({ traceId: TRACE, parentId: CALLER, name: "GET /v1/pets/{petId}" });
});

test.concurrent("a trace that its caller does not record is not recorded here either, and goes on all the same", async () => {
  states("docs/settings.md", "one of these after `parentbased_`, which follows the caller's decision.");
  states("docs/monitoring.md", "by default all, except those that the caller does not record.");
  const client = await service.withKey();
  const { headers } = await client.get("/v1/pets", NOT_RECORDED);
  expect(headers.get("traceresponse")).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  await traceOf((await client.get("/v1/pets")).headers); // which was sent later
  expect(collector.spans.filter(({ spanId }) => spanId === idsIn(headers).spanId)).toEqual([]);
});

const noTraceparents = ["", "00", "00-0-0-00", `00-${"0".repeat(32)}-${CALLER}-01`, `ff-${TRACE}-${CALLER}-01`];

test.concurrent("a traceparent that is none begins a new trace", async () => {
  const client = await service.withKey();
  for (const traceparent of [...noTraceparents, "x".repeat(8_000)]) {
    const { status, headers } = await client.get("/v1/pets", { traceparent });
    expect(status).toBe(200);
    expect(idsIn(headers).traceId).not.toBe(TRACE);
    if (traceparent === "") expect((await traceOf(headers)).span.parentId).toBe("");
  }
});

test.concurrent("the call of an agent is a span of its operation, under the agent's own", async () => {
  states("docs/monitoring.md", "and each call of an agent, is a span");
  const { secret } = await service.createKey();
  const { headers } = await fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json", ...RECORDED },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listPets"}}',
  });
  expect((await traceOf(headers)).span).toMatchObject({ traceId: TRACE, parentId: CALLER, name: "GET /v1/pets" });
});

test.concurrent("every refused request is a span too, by the name of its operation or by its method alone", async () => {
  const anonymous = service.anonymous();
  const refused = await traceOf((await anonymous.get("/v1/pets")).headers);
  expect(refused.span).toMatchObject({ name: "GET /v1/pets", attributes: { "http.response.status_code": 401 } });
  expect(refused.span.attributes).not.toHaveProperty(["petstore.key.id"]);
  const unknown = await traceOf((await anonymous.request("/v1/cats", { method: "DELETE" })).headers);
  expect(unknown.span).toMatchObject({ name: "DELETE", isError: false });
  expect(unknown.span.attributes).not.toHaveProperty(["http.route"]);
});

test.concurrent("a simulated request is marked, and its error is no failure", async () => {
  states(
    "docs/monitoring.md",
    "On staging, `petstore.simulated` has what a request simulates; a simulated error is not marked as one.",
  );
  await using staging = await startService({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, PETSTORE_DEPLOYMENT: "staging" },
  });
  const client = await staging.withKey();
  const simulating = async (value: string) => {
    const { headers } = await client.get("/v1/pets", { "Petstore-Simulate": value });
    return (await traceOf(headers)).span;
  };
  const failed = await simulating("delay=1,internal_error");
  expect(failed.attributes).toMatchObject({
    "petstore.simulated": "delay=1, internal_error",
    "http.response.status_code": 500,
  });
  expect(failed.attributes).not.toHaveProperty(["error.type"]);
  expect(failed.isError).toBe(false);
  expect((await simulating("delay=1")).attributes).toHaveProperty(["petstore.simulated"], "delay=1");
  const { span } = await traceOf((await client.get("/v1/pets")).headers);
  expect(span.attributes).not.toHaveProperty(["petstore.simulated"]);
});

test.concurrent("what a probe asks is in no trace", async () => {
  expect((await fetch(`${service.url}/readyz`)).headers.has("traceresponse")).toBe(false);
});

test.concurrent("no span holds a secret: neither a key in a header, in a path, nor anything of a query", async () => {
  states("docs/monitoring.md", "No query, header,", "anything in a path that looks like a key is removed.");
  const { secret } = await service.createKey();
  const client = service.withSecret(secret);
  await client.get(`/v1/pets/${secret}`);
  await client.get(`/v1/${secret}/pets`);
  await client.get("/v1/pets", { "X-Request-Id": secret });
  const { headers } = await client.get(`/v1/pets?limit=3&status=sold&token=hush-hush`);
  await traceOf(headers);
  expect(collector.raw).toContain("/v1/[key]/pets");
  expect(collector.raw).not.toContain(secret);
  expect(collector.raw).not.toContain("hush-hush");
});

test.concurrent("a request's line in the log names its trace", async () => {
  states("docs/monitoring.md", "With traces, the lines of a request also have its `trace_id` and `span_id`.");
  const client = await service.withKey();
  const { headers } = await client.get("/v1/pets");
  const { traceId, spanId } = idsIn(headers);
  const requestId = headers.get("X-Request-Id");
  await eventually(() => service.output.some((line) => line.includes(`"requestId":"${requestId}"`)));
  const line = service.output.find((line) => line.includes(`"requestId":"${requestId}"`)) ?? "";
  expect(JSON.parse(line)).toMatchObject({ trace_id: traceId, span_id: spanId });
});

/** A service with a collector that does not accept spans. */
async function besideBadCollector(
  mood: Collector["mood"],
  work: (own: RunningService, bad: Collector) => Promise<void>,
): Promise<void> {
  const bad = await startCollector();
  bad.mood = mood;
  const own = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: bad.endpoint } });
  try {
    await work(own, bad);
  } finally {
    await own.remove();
    await bad.stop();
  }
}

const timesSaid = ({ output }: RunningService, words: string) => output.filter((line) => line.includes(words)).length;

test.concurrent("a collector that refuses spans is logged once, and so is its recovery, each time", () =>
  besideBadCollector("refuses", async (own, bad) => {
    states(
      "docs/monitoring.md",
      "The log reports it once.",
      "`traces cannot be sent and are dropped until the collector takes them` | warn | Logged once; `the collector takes traces again` follows.",
    );
    const client = await own.withKey();
    for (let i = 0; i < 5; i++) {
      expect((await client.get("/v1/pets")).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(timesSaid(own, "traces cannot be sent")).toBe(1);
    bad.mood = "takes";
    await client.get("/v1/pets");
    await eventually(() => timesSaid(own, "the collector takes traces again") === 1);
    expect(timesSaid(own, "traces cannot be sent")).toBe(1);
    bad.mood = "refuses";
    await client.get("/v1/pets");
    await eventually(() => timesSaid(own, "traces cannot be sent") === 2);
    expect(timesSaid(own, "the collector takes traces again")).toBe(1);
  }));

// Alone, as it sends many requests.
test("a collector that never responds delays no request, and stopping by at most 2 s", () =>
  besideBadCollector("is silent", async (own) => {
    states(
      "docs/monitoring.md",
      "Without the collector, requests are not affected: at most 4,096 spans wait, more are dropped.",
      "On stop, the service tries for at most 2 seconds to send the rest.",
    );
    const client = await own.withKey();
    await client.spend(1);
    const began = performance.now();
    // More than the queue holds: the rest is dropped.
    await Promise.all(Array.from({ length: 50 }, () => client.spend(40)));
    expect((performance.now() - began) / 2_000).toBeLessThan(besideLoad(10));
    const stopping = performance.now();
    expect(await own.stop()).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(besideLoad(1_500 + 2_000 + 5_000));
  }));

test.concurrent("without a collector no response or log mentions a trace", async () => {
  states("docs/settings.md", "Without it there are no traces.");
  await using plain = await startService({ env: { PETSTORE_REQUEST_LOG: "true" } });
  const { headers } = await (await plain.withKey()).get("/v1/pets", RECORDED);
  expect(headers.has("traceresponse")).toBe(false);
  await eventually(() => plain.output.some((line) => line.includes('"request"')));
  expect(plain.output.join("\n")).not.toContain("trace_id");
});

test("a stop sends the spans that were not sent yet, also that of the last request", async () => {
  await using own = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
  const { secret } = await own.createKey({ scopes: ["pets:write"] });
  const body = '{"name":"Rex","categoryId":1}';
  const socket = await RawSocket.open(own.url);
  const head = ["POST /v1/pets HTTP/1.1", "Host: localhost", `Authorization: Bearer ${secret}`];
  const fields = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
  socket.send(`${[...head, ...fields].join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  const stopped = own.stop();
  const accepts = () => RawSocket.open(own.url).then((other) => other.close());
  await eventually(() =>
    accepts().then(
      () => false,
      () => true,
    ),
  );
  // The service only waits for this request, and ends as soon as it is answered.
  await pause(700);
  socket.send(body.slice(-1));
  const { status, headers } = await socket.answer();
  expect(status).toBe(201);
  expect(await stopped).toBe(0);
  expect(collector.spans.map(({ spanId }) => spanId)).toContain(idsIn(headers).spanId);
});
