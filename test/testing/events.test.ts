import { expect, test } from "bun:test";
import { startPetstore } from "../../src/testing.ts";
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
});

test("a test waits for an event, also for an order that expires by the clock, and for a bounded time", async () => {
  await using store = await startPetstore({ pets: 0, orderExpiry: { minutes: 30 } });
  const { id: petId } = await store.createPet({ name: "Rex", categoryId: 1 });
  const placed = store.events.waitFor({ type: "order.placed" }, PATIENT);
  const { body: order } = await call(store, "/store/orders", { body: { petId } });
  expect((await placed).subject).toBe(`orders/${order.id}`);
  store.clock.advance({ minutes: 31 });
  expect((await store.events.waitFor({ type: "order.cancelled" }, PATIENT)).data).toMatchObject({ id: order.id });
  await expect(store.events.waitFor({ type: "pet.deleted" }, { timeout: 10 })).rejects.toThrow(
    'events.waitFor: no event within 10 ms matches {"type":"pet.deleted"}.',
  );
});
