const { startPetstore } = require("@petstore/server/testing");
const { petNames } = require("./pet-names.js");

let store;
beforeAll(async () => {
  store = await startPetstore({ plan: "free", pets: 50, seed: 7 });
});
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

test("reports that its key has expired", async () => {
  const { key } = await store.createKey({ expiresAt: Date.now() + 3_600_000 });
  store.clock.advance({ hours: 2 });
  await expect(petNames(store.url, key)).rejects.toThrow("has expired");
});
