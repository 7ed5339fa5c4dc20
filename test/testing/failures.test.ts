import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publicErrors } from "../../src/domain/errors.ts";
import type { SimulationText } from "../../src/testing/petstore.ts";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

test.each(Object.keys(publicErrors) as SimulationText[])(
  "the next request gets %s, and the one after it does not",
  async (code) => {
    await using store = await startPetstore({ pets: 0 });
    store.fail.next(code);
    expect((await call(store, "/pets")).body.code).toBe(code);
    expect((await call(store, "/pets")).status).toBe(200);
    expect(store.requests.map(({ planned }) => planned)).toEqual([code, undefined]);
    states("docs/testing.md", "The answer is the real one, in each header.");
  },
);

test("failures come in the order in which they were planned, as often as they were", async () => {
  states(
    "docs/testing.md",
    '`fail.next("key_banned", { times: 2 })` | What the next requests get:',
    "`fail.pending` counts what is left,",
  );
  await using store = await startPetstore({ pets: 0 });
  store.fail.next("service_unavailable", { times: 2 });
  store.fail.next("internal_error");
  expect(store.fail.pending).toBe(3);
  for (let sent = 0; sent < 4; sent++) await call(store, "/pets");
  expect(store.requests.map(({ status }) => status)).toEqual([503, 503, 500, 200]);
  expect(store.fail.pending).toBe(0);
});

test("what is planned is forgotten by clear", async () => {
  states("docs/testing.md", "`fail.clear()` forgets it.");
  await using store = await startPetstore({ pets: 0 });
  store.fail.next("service_unavailable", { times: 5 });
  store.fail.clear();
  expect(store.fail.pending).toBe(0);
  expect((await call(store, "/pets")).status).toBe(200);
  states("docs/testing.md", "`fail.pending` counts what is left, `fail.clear()` forgets it.");
});

test("a lost answer has done its work, and a cut connection has not", async () => {
  states(
    "docs/testing.md",
    "A `fetch` of Bun repeats a GET by itself when a connection that it had used before is cut: `requests` shows both.",
  );
  states(
    "docs/testing.md",
    'The connection breaks before the work | `fail.next("disconnect")`',
    'The answer is lost after the work | `fail.next("lost-answer")`',
  );
  await using store = await startPetstore({ pets: 0 });
  const create = (name: string) => call(store, "/pets", { body: { name, categoryId: 1 } }).catch(() => "cut");
  store.fail.next("disconnect");
  expect(await create("Rex")).toBe("cut");
  store.fail.next("lost-answer");
  expect(await create("Max")).toBe("cut");
  expect((await call(store, "/pets")).body).toMatchObject([{ name: "Max" }]);
  expect(store.requests.map(({ status }) => status)).toEqual([undefined, undefined, 200]);
  expect(store.requests[1]?.body).toBe('{"name":"Max","categoryId":1}');
});

test("a delay is followed by the answer", async () => {
  states("docs/testing.md", 'The answer is late | `fail.next("delay=30000")`');
  await using store = await startPetstore({ pets: 0 });
  store.fail.next("delay=300");
  const before = performance.now();
  expect((await call(store, "/pets")).status).toBe(200);
  expect(performance.now() - before).toBeGreaterThan(290);
});

test("a pet store with delayed requests closes at once", async () => {
  const store = await startPetstore({ pets: 0 });
  store.fail.next("delay=30000");
  const delayed = call(store, "/pets").catch(() => "closed");
  while (store.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await store.close();
  expect(await delayed).toBe("closed");
});

test("requests with a simulation of their own, preflights and pages do not get what is planned", async () => {
  states("docs/testing.md", "A page in a browser may call it if `corsOrigins` lists the page's origin.");
  await using store = await startPetstore({ corsOrigins: ["http://shop.test"] });
  store.fail.next("internal_error");
  const own = await call(store, "/pets", { headers: { "Petstore-Simulate": "service_unavailable" } });
  expect(own.status).toBe(503);
  const preflight = await fetch(`${store.url}/pets`, {
    method: "OPTIONS",
    headers: { Origin: "http://shop.test", "Access-Control-Request-Method": "GET" },
  });
  expect(preflight.status).toBe(204);
  expect((await fetch(new URL("/openapi.json", store.url))).status).toBe(200);
  expect(store.fail.pending).toBe(1);
  expect((await call(store, "/pets")).status).toBe(500);
});

test("each failure that the documentation names can be planned", async () => {
  states(
    "docs/testing.md",
    '| The key is banned | `fail.next("key_banned")` | Sends nothing with this key until the ban\'s end, and alerts a person: it has a fault. |',
    '| The service fails | `fail.next("internal_error")` | Repeats a few times, and logs `X-Request-Id`. |',
    '| The connection breaks before the work | `fail.next("disconnect")` | Repeats. |',
    "Repeats with the same `Idempotency-Key`: nothing is created twice.",
    "| The key expires | `createKey({ expiresAt })`, then `clock.advance` | Reports it, and does not repeat. |",
    '`fail.next("disabled_api_key")` | The same. |',
    '| The key lacks a scope | `createKey({ scopes: ["pets:read"] })` | Reports which scope it needs.',
    '`clock.set("2030-12-05T00:00:00Z")` | Lists with `ids` instead.',
    '| Somebody else got the pet | `fail.next("pet_not_available")` | Says so to its user.',
  );
  states(
    "docs/testing.md",
    "any value of `Petstore-Simulate`, such as the code of an error, `delay=2000`, `disconnect` or `lost-answer`.",
  );
  await using store = await startPetstore({ pets: 0 });
  const page = readFileSync(join(import.meta.dir, "../../docs/testing.md"), "utf8");
  const named = [...page.matchAll(/fail\.next\("([^"]+)"/g)].map(([, text]) => text as SimulationText);
  expect(named.length).toBeGreaterThan(10);
  for (const simulation of named) expect(() => store.fail.next(simulation)).not.toThrow();
});

test("what is no simulation is refused", async () => {
  await using store = await startPetstore({ pets: 0 });
  expect(() => store.fail.next("teapot" as SimulationText)).toThrow("fail.next: the simulation must be an error code");
  expect(() => store.fail.next("delay=99999")).toThrow(TypeError);
  expect(() => store.fail.next(undefined as unknown as SimulationText)).toThrow("fail.next: the simulation must be");
  for (const times of [0, 1.5, Number.NaN]) {
    expect(() => store.fail.next("internal_error", { times })).toThrow("fail.next: times must be a positive integer");
  }
  expect(store.fail.pending).toBe(0);
});
