import { expect, test } from "bun:test";
import fc from "fast-check";
import { MovableClock } from "../../src/testing/controls.ts";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

const DAY = 86_400_000;

test("advancing the clock opens new windows", async () => {
  states("docs/testing.md", "`clock.advance({ seconds: 60 })`, `clock.set(…)` | Another time.");
  states(
    "docs/testing.md",
    'or a key with `plan: "free"` and 61 requests',
    "`clock.advance({ seconds: 60 })` opens the next window.",
  );
  await using store = await startPetstore({ plan: "enterprise", limits: { perMinute: 2, perDay: 3 } });
  store.clock.freeze();
  const code = async () => (await call(store, "/pets")).body.code ?? "none";
  expect([await code(), await code(), await code()]).toEqual(["none", "none", "rate_limit_exceeded"]);
  store.clock.advance({ seconds: 58 });
  expect(await code()).toBe("rate_limit_exceeded");
  store.clock.advance({ seconds: 2 });
  expect([await code(), await code()]).toEqual(["none", "quota_exceeded"]);
  store.clock.advance({ days: 1 });
  expect(await code()).toBe("none");
});

test("advancing the clock ends a ban, and counts strikes in it", async () => {
  await using store = await startPetstore({ plan: "enterprise", limits: { perMinute: 1, perDay: 1_000 } });
  await call(store, "/pets");
  await call(store, "/pets");
  store.clock.advance({ seconds: 3 });
  for (let strike = 0; strike < 100; strike++) await call(store, "/pets");
  const banned = await call(store, "/pets");
  expect(banned.body.code).toBe("key_banned");
  store.clock.advance({ seconds: Number(banned.headers.get("Retry-After")) });
  expect((await call(store, "/pets")).status).toBe(200);
});

test("orders expire by the clock, and free their pets", async () => {
  states(
    "CHANGELOG.md",
    "off by default, a placed order that is not approved in this time is cancelled by itself, and its pet becomes available.",
  );
  states(
    "docs/orders.md",
    "Unless you approve it before, the service cancels it within 5 seconds of that time: the pet becomes `available`",
    "When a placed order expires, where orders do.",
  );
  states(
    "docs/testing.md",
    "With `orderExpiry: { minutes: 30 }` an order expires 30 minutes after it was placed, by the clock: advance it, and the next request finds the order cancelled.",
  );
  states(
    "docs/orders.md",
    "`expiresAt` | string | When a placed order expires, where orders do.",
    "Such an order has `expiresAt` while it is `placed`.",
  );
  const now = "2027-01-01T00:00:00Z";
  await using store = await startPetstore({ now, pets: 0, orderExpiry: { minutes: 30 } });
  store.clock.freeze();
  store.clock.set(now);
  const { id: petId } = await store.createPet({ name: "Rex", categoryId: 1 });
  const { body: order } = await call(store, "/store/orders", { body: { petId } });
  expect(order).toMatchObject({ status: "placed", expiresAt: "2027-01-01T00:30:00.000Z" });
  const statuses = async () => [
    (await call(store, `/store/orders/${order.id}`)).body.status,
    (await call(store, `/pets?ids=${petId}`)).body[0].status,
  ];
  store.clock.advance({ minutes: 29, seconds: 59, milliseconds: 999 });
  expect(await statuses()).toEqual(["placed", "pending"]);
  store.clock.advance({ milliseconds: 1 });
  expect(await statuses()).toEqual(["cancelled", "available"]);
  expect((await call(store, `/store/orders/${order.id}`)).body).not.toHaveProperty("expiresAt");
  states("docs/orders.md", "the pet becomes `available`, in the same transaction, and both changes are events.");
  states(
    "docs/testing.md",
    "an order expires 30 minutes after it was placed, by the clock: advance it, and the next request finds the order cancelled.",
  );
});

test("keys expire by the clock", async () => {
  states("docs/testing.md", "The key expires | `createKey({ expiresAt })`, then `clock.advance`");
  await using store = await startPetstore({ now: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" });
  store.clock.advance({ hours: 23, minutes: 59 });
  expect((await call(store, "/pets")).status).toBe(200);
  store.clock.advance({ minutes: 1 });
  expect((await call(store, "/pets")).body.code).toBe("expired_api_key");
});

test("getPet ends by the clock", async () => {
  states("docs/testing.md", '`clock.set("2030-12-05T00:00:00Z")`');
  await using store = await startPetstore({ now: "2030-12-04T23:59:00Z" });
  expect((await call(store, "/pets/1")).status).toBe(200);
  store.clock.set("2030-12-05T00:00:00Z");
  expect((await call(store, "/pets/1")).body.code).toBe("operation_removed");
  store.clock.set(new Date("2030-12-04T00:00:00Z"));
  expect((await call(store, "/pets/1")).status).toBe(200);
});

test("idempotency keys are forgotten by the clock", async () => {
  await using store = await startPetstore({ pets: 0 });
  const create = async () => {
    const options = { body: { name: "Rex", categoryId: 1 }, headers: { "Idempotency-Key": "a" } };
    return (await call(store, "/pets", options)).body.id;
  };
  expect([await create(), await create()]).toEqual([1, 1]);
  store.clock.advance({ days: 1, seconds: 1 });
  expect(await create()).toBe(2);
});

test("everything that the service dates is dated by the clock", async () => {
  await using store = await startPetstore({ pets: 0 });
  store.clock.freeze();
  store.clock.set("2029-02-03T04:05:06Z");
  const { id } = await store.createPet({ name: "Rex", categoryId: 1 });
  const { headers, body } = await call(store, "/store/orders", { body: { petId: id } });
  expect(body.createdAt).toBe("2029-02-03T04:05:06.000Z");
  expect(headers.get("Date")).toBe("Sat, 03 Feb 2029 04:05:06 GMT");
  expect(headers.get("X-RateLimit-Reset")).toBe(String(Date.UTC(2029, 1, 3, 4, 6, 6) / 1000));
  expect(store.requests[0]?.at).toEqual(store.clock.now());
  states(
    "docs/testing.md",
    "Windows, bans, expiry, idempotency keys and the removal of getPet follow it, and so does the header `Date`.",
  );
});

test("by default the clock shows the time of the machine", async () => {
  await using store = await startPetstore({ pets: 0 });
  const before = Date.now();
  const shown = store.clock.now().getTime();
  expect(shown).toBeGreaterThanOrEqual(before);
  expect(shown).toBeLessThanOrEqual(Date.now());
});

test("after any moves the clock shows its start, what it was moved, and what its source ran while it was not frozen", () => {
  states("docs/testing.md", "`clock.freeze()`, `clock.now()` | Time stands still until you move it;");
  const time = fc.integer({ min: 0, max: DAY });
  const moves = fc.oneof(
    fc.record({ run: time }),
    fc.record({ advance: fc.record({ seconds: fc.nat(DAY), milliseconds: fc.nat(DAY) }) }),
    fc.record({ set: time }),
    fc.record({ freeze: fc.constant(true) }),
  );
  fc.assert(
    fc.property(time, time, fc.array(moves), (source, start, all) => {
      let now = source;
      const clock = new MovableClock(() => now, start);
      let expected = start;
      let isFrozen = false;
      for (const move of all) {
        if ("run" in move) {
          now += move.run;
          if (!isFrozen) expected += move.run;
        } else if ("advance" in move) {
          clock.advance(move.advance);
          expected += move.advance.seconds * 1000 + move.advance.milliseconds;
        } else if ("set" in move) {
          clock.set(move.set);
          expected = move.set;
        } else {
          clock.freeze();
          isFrozen = true;
        }
        expect(clock.read()).toBe(expected);
      }
      clock.reset();
      now += 5;
      expect(clock.read()).toBe(start + 5);
    }),
  );
});

test("the clock loses no time while it is moved", () => {
  let now = 0;
  const clock = new MovableClock(() => ++now);
  expect(clock.read()).toBe(now);
  clock.advance({ milliseconds: 10 });
  expect(clock.read()).toBe(now + 10);
  clock.reset();
  expect(clock.read()).toBe(now);
  clock.freeze();
  const frozen = now;
  expect(clock.read()).toBe(frozen);
});

test("the clock refuses what is no time", () => {
  const clock = new MovableClock(() => 0);
  expect(() => clock.advance({ seconds: -1 })).toThrow("seconds must be 0 or more");
  expect(() => clock.advance({ days: Number.NaN })).toThrow(TypeError);
  expect(() => clock.advance({ years: 1 } as object)).toThrow("there is no unit years");
  expect(() => clock.set("soon")).toThrow(TypeError);
  expect(() => clock.advance({ days: 1e12 })).toThrow(TypeError);
  for (const none of [60, null, undefined]) {
    expect(() => clock.advance(none as unknown as object)).toThrow("clock.advance: name a unit");
  }
  for (const none of [null, -1, "9999-01-01T00:00:00Z", 8.64e15]) {
    expect(() => clock.set(none as unknown as number)).toThrow("from 1970 to 9998");
  }
  expect(clock.read()).toBe(0);
  clock.advance({ milliseconds: 0.7 });
  expect(clock.read()).toBe(1);
});

test("at the first and the last time of the clock everything can be called", async () => {
  states("docs/testing.md", "the current time, from 1970 to 9998.");
  await using store = await startPetstore({ pets: 1 });
  for (const time of ["1970-01-01T00:00:00Z", "9998-12-31T23:59:59Z"]) {
    store.clock.set(time);
    const { body } = await call(store, "/pets", { body: { name: "Rex", categoryId: 1 } });
    const order = await call(store, "/store/orders", { body: { petId: body.id } });
    const usage = await call(store, "/usage");
    expect([time, order.status, usage.status]).toEqual([time, 201, 200]);
    const dates = [order.body.createdAt, usage.body.minute.resetAt, usage.body.day.resetAt];
    for (const date of dates) expect(date).toMatch(/^\d{4}-/);
  }
});
