import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

test("a reset makes everything as it was at the start", async () => {
  states(
    "docs/testing.md",
    "`reset()` | Everything as it was at the start, at the same address and with the same `key`.",
  );
  await using store = await startPetstore({ plan: "free", pets: 5, seed: 4, now: "2029-01-01T00:00:00Z" });
  const { url, key } = store;
  const pets = (await call(store, "/pets")).body;
  const further = await store.createKey();
  await store.createPet({ name: "Rex", categoryId: 1 });
  await call(store, "/pets/1", { method: "PATCH", body: { name: "Other" } });
  for (let sent = 0; sent < 70; sent++) await call(store, "/pets");
  expect(store.requests.at(-1)?.status).toBe(429);
  store.fail.next("service_unavailable");
  store.clock.freeze();
  store.clock.advance({ days: 3_000 });

  await store.reset();
  expect([store.url, store.key]).toEqual([url, key]);
  expect([store.requests, store.fail.pending]).toEqual([[], 0]);
  expect(store.clock.now().getFullYear()).toBe(2029);
  const { body, headers } = await call(store, "/pets");
  expect(body).toEqual(pets);
  expect(headers.get("X-RateLimit-Remaining")).toBe("59");
  expect((await call(store, "/pets", { key: further.key })).body.code).toBe("invalid_api_key");
  expect(await store.createKey()).toEqual(further);
  expect((await store.createPet({ name: "Rex", categoryId: 1 })).id).toBe(6);
});

test("a pet store can be reset many times, while clients use it", async () => {
  await using store = await startPetstore({ pets: 3 });
  const statuses = new Set<number>();
  let isDone = false;
  const client = async () => {
    while (!isDone) statuses.add((await call(store, "/pets")).status);
  };
  const clients = [client(), client()];
  for (let round = 0; round < 10; round++) await store.reset();
  isDone = true;
  await Promise.all(clients);
  expect([...statuses]).toEqual([200]);
});

test("a program ends by itself once its pet store is reset and closed, and its receiver, and nothing is waited for", async () => {
  const program = `import { startPetstore, startWebhookReceiver } from ${JSON.stringify(join(import.meta.dir, "../../src/testing.ts"))};
    const receiver = await startWebhookReceiver();
    const store = await startPetstore({ pets: 1, webhook: receiver });
    await store.reset();
    const waiting = [store.events, receiver].map((one) => one.waitFor({ type: "pet.created" }, { timeout: 600_000 }));
    await store.createPet({ name: "Rex", categoryId: 1 });
    await Promise.all(waiting);
    await store.close();
    await receiver.close();`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore", timeout: 20_000 });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a program ends by itself once its pet store is closed during a reset", async () => {
  const program = `import { startPetstore } from ${JSON.stringify(join(import.meta.dir, "../../src/testing.ts"))};
    const store = await startPetstore({ pets: 1 });
    const reset = store.reset();
    await new Promise(setImmediate);
    await store.close();
    await reset;`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore", timeout: 20_000 });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("resets at once follow each other, and a pet store can be closed meanwhile", async () => {
  const store = await startPetstore({ pets: 2 });
  await Promise.all([store.reset(), store.reset(), store.reset()]);
  expect((await call(store, "/pets")).body).toHaveLength(2);
  const resetting = store.reset();
  const [outcome] = await Promise.allSettled([resetting, store.close()]);
  expect(outcome.status).toBe("rejected");
  expect(store.createKey()).rejects.toThrow("closed");
});

test("a closed pet store refuses connections, closes those that are open, and can be closed again", async () => {
  states("docs/testing.md", "`close()` | Closes it and all connections at once. `await using` calls it.");
  const store = await startPetstore({ pets: 0 });
  const waiting = fetch(`${store.url}/pets`, {
    headers: { Authorization: `Bearer ${store.key}`, "Petstore-Simulate": "delay=30000" },
  }).then(
    ({ status }) => status,
    () => "closed",
  );
  while (store.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([store.close(), store.close(), store[Symbol.asyncDispose]()]);
  expect(await waiting).toBe("closed");
  expect(await call(store, "/pets").catch(() => "refused")).toBe("refused");
  for (const use of [
    () => store.reset(),
    () => store.createKey(),
    () => store.createPet({ name: "Rex", categoryId: 1 }),
  ])
    expect(use()).rejects.toThrow("closed");
  states("docs/testing.md", "`close()` | Closes it and all connections at once.");
});
