import { startPetstore } from "@petstore/server/testing";
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { petNames } from "./pet-names.js";

const store = await startPetstore({ plan: "free", pets: 50, seed: 7 });
afterAll(() => store.close());
beforeEach(() => store.reset());

test("reads every page", async () => {
  await expect(petNames(store.url, store.key)).resolves.toHaveLength(50);
  expect(store.requests.map(({ query }) => query)).toEqual(["", "limit=20&after=20", "limit=20&after=40"]);
});

test("repeats a request that the service could not process", async () => {
  store.fail.next("service_unavailable");
  await expect(petNames(store.url, store.key)).resolves.toHaveLength(50);
  expect(store.requests.map(({ status }) => status)).toEqual([503, 200, 200, 200]);
});

test("gives up when the day's requests are used up", async () => {
  store.fail.next("quota_exceeded");
  await expect(petNames(store.url, store.key)).rejects.toThrow("24 hours");
});

test("reports that its key has expired, also while timers and Date are replaced", async () => {
  // Node's fetch needs the real setImmediate.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"], now: 0 });
  const { key } = await store.createKey({ expiresAt: store.clock.now().getTime() + 3_600_000 });
  await expect(petNames(store.url, key)).resolves.toHaveLength(50);
  store.clock.advance({ hours: 2 });
  await expect(petNames(store.url, key)).rejects.toThrow("has expired");
  vi.useRealTimers();
});

test("has a pet store of its own", async () => {
  const own = await startPetstore({ pets: 0 });
  onTestFinished(() => own.close());
  await own.createPet({ name: "Rex", categoryId: 1 });
  await expect(petNames(own.url, own.key)).resolves.toEqual(["Rex"]);
});
