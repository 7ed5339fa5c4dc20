import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Tracing } from "../../../src/adapters/opentelemetry/tracing.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import { startCollector } from "../../support/collector.ts";
import { states } from "../../support/markdown.ts";

const collector = await startCollector();
afterAll(() => collector.stop());

type Sampling = Pick<ConstructorParameters<typeof Tracing>[0], "sampler" | "ratio">;

const tracing = ({ sampler, ratio }: Sampling = { sampler: "always_on", ratio: 1 }) =>
  new Tracing(
    { endpoint: `${collector.endpoint}/`, version: "1.0.0", deployment: "staging", sampler, ratio },
    { onFailure: expect.unreachable, onRecovery: expect.unreachable },
  );

/** A caller's header, in a trace of its own. */
const parent = (trace: string, flags: string) => ({ traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` });

/** What a span is made of. */
const contextOf = ({ method = "GET", pattern = undefined as string | undefined, headers = {} } = {}) => ({
  ...{ request: { method, headers: new Headers(headers) }, path: "/v1/pets/7", requestId: "r1", route: { pattern } },
  headers: {} as Record<string, string>,
});

test.each<[Sampling["sampler"], parent: string, recorded: "all" | "none" | "some"]>([
  ["always_on", "", "all"],
  ["always_on", "00", "all"],
  ["always_off", "", "none"],
  ["always_off", "01", "none"],
  ["traceidratio", "", "some"],
  ["traceidratio", "00", "some"],
  ["traceidratio", "01", "some"],
  ["parentbased_always_on", "", "all"],
  ["parentbased_always_on", "00", "none"],
  ["parentbased_always_off", "", "none"],
  ["parentbased_always_off", "01", "all"],
  ["parentbased_traceidratio", "", "some"],
  ["parentbased_traceidratio", "00", "none"],
  ["parentbased_traceidratio", "01", "all"],
])(
  "of requests with the sampler %s and the caller's decision '%s', recorded are: %s",
  async (sampler, flags, recorded) => {
    states("docs/settings.md", "one of these after `parentbased_`, which follows the caller's decision.");
    const own = tracing({ sampler, ratio: 0.25 });
    const before = collector.spans.length;
    let sampled = 0;
    for (let i = 0; i < 400; i++) {
      const caller = randomBytes(16).toString("hex");
      const context = contextOf({ headers: flags === "" ? {} : parent(caller, flags) });
      await own.request(context, () => ({ status: 200 }));
      const [, trace, , flag] = context.headers.traceresponse?.split("-") ?? [];
      if (flags !== "") expect(trace).toBe(caller);
      if (flag === "01") sampled += 1;
    }
    await own.stop();
    expect(collector.spans.length - before).toBe(sampled);
    // A quarter, with a standard deviation of 9.
    const [least, most] = { all: [400, 400], none: [0, 0], some: [50, 150] }[recorded] as [number, number];
    expect(sampled).toBeWithin(least, most + 1);
  },
);

test("a span is named by its method and its route, and its error is that of the service", async () => {
  const own = tracing();
  const before = collector.spans.length;
  const end = (given: Parameters<typeof contextOf>[0], status: number, more: object = {}) =>
    own.request({ ...contextOf(given), ...more }, async () => ({ status }));
  await end({ method: "PATCH", pattern: "/v1/pets/{petId}" }, 404);
  await end({ method: "BREW", pattern: "/v1/pets" }, 405, { key: { id: "key_1" } });
  await end({ method: "BREW" }, 500);
  await end({ method: "GET" }, 503, { simulation: { delay: 1 } });
  await end({ method: "GET" }, 503, { simulation: { code: "service_unavailable" } });
  await own.stop();
  const found = collector.spans
    .slice(before)
    .map(({ name, isError, kind, attributes }) => [
      ...[name, attributes["http.request.method"], attributes["http.route"], attributes["petstore.key.id"]],
      ...[attributes["http.response.status_code"], isError, attributes["error.type"], kind],
    ]);
  expect(found).toEqual([
    ["PATCH /v1/pets/{petId}", "PATCH", "/v1/pets/{petId}", undefined, 404, false, undefined, "server"],
    ["HTTP /v1/pets", "_OTHER", "/v1/pets", "key_1", 405, false, undefined, "server"],
    ["HTTP", "_OTHER", undefined, undefined, 500, true, "500", "server"],
    ["GET", "GET", undefined, undefined, 503, true, "503", "server"],
    ["GET", "GET", undefined, undefined, 503, false, undefined, "server"],
  ]);
});

test("a call of a store is a span of the request that makes it, and a refusal is no failure", async () => {
  states("docs/monitoring.md", "and so is each call of SQLite, PostgreSQL or Redis that it makes.");
  const own = tracing();
  const before = collector.spans.length;
  const call = own.of("sqlite", "pets.get");
  // Of no request.
  expect(call(() => 7)).toBe(7);
  expect(own.ids()).toEqual({});
  const failing: unknown[] = [new RangeError("no"), new PetstoreError("pet_not_found"), "a text"];
  let ids: ReturnType<Tracing["ids"]> = {};
  await own.request(contextOf({ pattern: "/v1/pets" }), async () => {
    ids = own.ids();
    expect(await call(async () => 8)).toBe(8);
    for (const error of failing)
      await call(async () => Promise.reject(error)).catch((thrown) => expect(thrown).toBe(error));
    return { status: 200 };
  });
  await own.stop();
  const [last, ...calls] = collector.spans.slice(before).toReversed();
  expect(ids).toEqual({ trace_id: String(last?.traceId), span_id: String(last?.spanId) });
  const shown = calls
    .toReversed()
    .map(({ parentId, name, kind, isError, attributes }) => [
      ...[parentId, name, kind, isError, attributes["error.type"], attributes["db.system.name"]],
    ]);
  const of = [ids.span_id, "pets.get", "client"];
  expect(shown).toEqual([
    [...of, false, undefined, "sqlite"],
    [...of, true, "RangeError", "sqlite"],
    [...of, false, undefined, "sqlite"],
    [...of, true, "_OTHER", "sqlite"],
  ]);
});
