import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { startPetstore } from "@petstore/server/testing";
import { petNames } from "./pet-names.js";

const store = await startPetstore({ plan: "free", pets: 50, seed: 7 });
after(() => store.close());
beforeEach(() => store.reset());

test("reads every page", async () => {
  assert.equal((await petNames(store.url, store.key)).length, 50);
  assert.deepEqual(
    store.requests.map(({ query }) => query),
    ["", "limit=20&after=20", "limit=20&after=40"],
  );
});

test("repeats a request that the service could not process", async () => {
  store.fail.next("service_unavailable");
  assert.equal((await petNames(store.url, store.key)).length, 50);
  assert.deepEqual(
    store.requests.map(({ status }) => status),
    [503, 200, 200, 200],
  );
});

test("gives up when the day's requests are used up", async () => {
  store.fail.next("quota_exceeded");
  await assert.rejects(petNames(store.url, store.key), /24 hours/);
  assert.equal(store.requests.length, 1);
});

test("reports that its key has expired", async () => {
  const { key } = await store.createKey({ expiresAt: Date.now() + 3_600_000 });
  store.clock.advance({ hours: 2 });
  await assert.rejects(petNames(store.url, key), /has expired/);
});
