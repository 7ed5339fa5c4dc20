import { expect, test } from "bun:test";
import { firstFound } from "../../src/testing/controls.ts";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

/** For busy machines. */
const PATIENT = { timeout: 60_000 };

test("a store has the events of what was changed since its start, and none after a reset", async () => {
  await using store = await startPetstore({ now: "2027-01-01T00:00:00Z" });
  store.clock.freeze();
  expect(await store.events.list()).toEqual([]);
  const categoryId = 2n ** 63n - 1n;
  const { id } = await store.createPet({ name: "Rex", categoryId });
  await call(store, `/pets/${id}`, { method: "PATCH", body: { categoryId: 7 } });
  const subject = `pets/${id}`;
  const data = { id, name: "Rex", status: "available" };
  const events = await store.events.list({ subject });
  expect(events).toMatchObject([
    { type: "pet.created", subject, version: 1, data: { ...data, categoryId }, at: store.clock.now() },
    { type: "pet.updated", subject, version: 2, data: { ...data, categoryId: 7 }, requestId: expect.any(String) },
  ]);
  expect(await store.events.list({ type: "pet.updated" })).toEqual(events.slice(1));
  await store.reset();
  expect(await store.events.list()).toEqual([]);
  states(
    "docs/testing.md",
    "`events.list({ type, subject })`, `events.waitFor({ type, subject })` | The events since the start or the last reset",
  );
});

test("a test waits for an event, also for an order that expires by the clock, and for a bounded time", async () => {
  states("docs/testing.md", "and the first one that matches, once there is one;");
  await using store = await startPetstore({ pets: 0, orderExpiry: { minutes: 30 } });
  const { id: petId } = await store.createPet({ name: "Rex", categoryId: 1 });
  const placed = store.events.waitFor({ type: "order.placed" }, PATIENT);
  const { body: order } = await call(store, "/store/orders", { body: { petId } });
  expect((await placed).subject).toBe(`orders/${order.id}`);
  store.clock.advance({ minutes: 31 });
  expect(await store.events.list({ type: "order.cancelled" })).toHaveLength(1);
  expect((await store.events.waitFor({ type: "order.cancelled" }, PATIENT)).data).toMatchObject({ id: order.id });
  await expect(store.events.waitFor({ type: "pet.deleted" }, { timeout: 10 })).rejects.toThrow(
    'events.waitFor: no event within 10 ms matches {"type":"pet.deleted"}.',
  );
  states("docs/testing.md", "it rejects if that takes longer than `timeout`, in ms.");
});

test("all events are listed, each once, in their order, however many there are", async () => {
  await using store = await startPetstore({ pets: 0 });
  const created: string[] = [];
  for (const count of [0, 1, 99, 1, 104]) {
    for (let i = 0; i < count; i++) created.push(`pets/${(await store.createPet({ name: "Rex", categoryId: 1 })).id}`);
    expect((await store.events.list()).map(({ subject }) => subject)).toEqual(created);
  }
});

test("what waits follows no longer than it waits, and by default long enough for what a client has just sent", async () => {
  let [followed, left] = [0, 0];
  const follow = (listener: () => Promise<void>) => {
    followed += 1;
    setTimeout(() => void listener(), 20);
    return () => {
      left += 1;
    };
  };
  let looks = 0;
  const found = { what: "nothing", filter: {}, look: () => (looks++ === 0 ? undefined : "found"), follow };
  expect(await firstFound(found)).toBe("found");
  const never = { ...found, look: () => undefined };
  await expect(firstFound(never, { timeout: 1 })).rejects.toThrow("nothing within 1 ms matches {}.");
  expect([followed, left]).toEqual([2, 2]);
});
