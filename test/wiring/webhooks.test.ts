import { describe, expect, spyOn, test } from "bun:test";
import { webhookSender } from "../../src/adapters/webhooks/send.ts";
import { WebhookAdministration, type WebhookType } from "../../src/domain/webhooks.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { createLog } from "../../src/wiring/log.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { WebhookDeliveries } from "../../src/wiring/webhooks.ts";
import { TESTER } from "../support/author.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { newStore } from "../support/store.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** A process that delivers to a receiver, whose clock can be set forth. */
async function delivering() {
  const store = await newStore("sqlite");
  const stores = await openStores(readConfig({ DATABASE_URL: store.url, PETSTORE_DATABASE_POOL: "3" }), () => {});
  const receiver = await new WebhookReceiver().start();
  const now = performance.now;
  let passed = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) + passed);
  const [webhooks, alerts] = [stores.webhooks(), stores.alerts()];
  const sender = webhookSender({ hosts: ["127.0.0.1"] });
  const parts = { ...stores, webhooks, alerts };
  const log = await createLog("silent", false);
  const deliveries = new WebhookDeliveries({ ...parts, sender, process: "one", clock: Date.now, log });
  const { signal } = new AbortController();
  return {
    ...{ store, stores, webhooks, receiver },
    administration: new WebhookAdministration({ ...parts, webhookSender: sender }, TESTER),
    deliveries,
    run: () => deliveries.task.run(signal),
    pass: (milliseconds: number) => {
      passed += milliseconds;
    },
    async [Symbol.asyncDispose]() {
      clock.mockRestore();
      await deliveries.task.run(AbortSignal.abort());
      await receiver[Symbol.asyncDispose]();
      await stores.close();
      await store.remove();
    },
  };
}

test("what was delivered while the store takes no writes is stored once it does, and not delivered again", async () => {
  await using node = await delivering();
  const { run, store, stores, webhooks, receiver, administration } = node;
  const { endpoint } = await administration.create({ url: receiver.url, after: 0 }, Date.now());
  await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const newest = Number(await stores.events.newest());
  await using other = await store.connect();
  // Another process holds the lock for writes.
  await other.lockPets();
  await eventually(async () => {
    await run();
    return receiver.received.length === 1;
  });
  await eventually(async () => {
    node.pass(2_000);
    const error = await Promise.resolve(run()).catch((reason) => reason);
    return error?.code === "service_unavailable";
  });
  expect(await webhooks.deliveries(endpoint.id)).toEqual([]);
  await other.run("ROLLBACK");
  await eventually(async () => {
    await run();
    return (await webhooks.get(endpoint.id))?.position === newest;
  });
  expect(await webhooks.deliveries(endpoint.id)).toMatchObject([{ eventId: newest, attempt: 1, status: 200 }]);
  expect(receiver.received).toHaveLength(1);
});

test("a delivery that an operator asks for leaves no connection behind", async () => {
  await using node = await delivering();
  const { receiver, administration } = node;
  const { endpoint } = await administration.create({ url: receiver.url, after: 0 }, Date.now());
  await node.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const newest = Number(await node.stores.events.newest());
  await administration.test(endpoint.id, Date.now());
  await administration.redeliver(endpoint.id, newest, Date.now());
  expect(receiver.received).toHaveLength(2);
  await eventually(async () => (await receiver.connections) === 0);
});

test("an endpoint whose next events are no longer kept is disabled, and again, until it goes on with the oldest", async () => {
  states(
    "docs/webhooks.md",
    "An endpoint that was disabled for longer than the feed keeps events has lost some. It is disabled again, with that as the reason: redeliver from 0 to go on with the oldest that is kept.",
    "as long as the feed keeps it.",
  );
  await using node = await delivering();
  const { run, stores, webhooks, receiver, administration } = node;
  const { id } = (await administration.create({ url: receiver.url, after: 0 }, Date.now())).endpoint;
  const add = () => stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const got = (deliveries: number) =>
    eventually(async () => {
      await run();
      return (await webhooks.deliveries(id)).length === deliveries;
    });
  await add();
  await got(1);
  await administration.disable(id, Date.now());
  for (let i = 0; i < 3; i++) await add();
  await stores.events.prune({ since: 0, most: 1 }, 100);
  for (let i = 0; i < 2; i++) {
    await administration.enable(id, Date.now());
    await eventually(async () => {
      await run();
      return (await webhooks.get(id))?.disabled !== undefined;
    });
    const { by, reason } = (await webhooks.get(id))?.disabled ?? {};
    expect([by, reason]).toEqual(["service", expect.stringContaining("were deleted before they were delivered")]);
  }
  await administration.redeliverFrom(id, 0, Date.now());
  await got(2);
  expect(receiver.eventIds.at(-1)).toBe(Number(await stores.events.newest()));
});

describe("the position of an endpoint", () => {
  test("up to which all events were only skipped is stored after a minute, and not before", async () => {
    await using node = await delivering();
    const { run, stores, webhooks, receiver, administration } = node;
    const subscribed = async (types: WebhookType[]) =>
      (await administration.create({ url: receiver.url, types, after: 0 }, Date.now())).endpoint.id;
    const skipping = await subscribed(["order.placed"]);
    const other = await subscribed(["pet.created"]);
    const position = async (id: string) => (await webhooks.get(id))?.position;
    /** Resolves when the other endpoint got another event, and this is stored. */
    const deliverOne = async () => {
      await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      const newest = Number(await stores.events.newest());
      await eventually(async () => {
        await run();
        return (await position(other)) === newest;
      });
    };
    await deliverOne();
    const beganAt = performance.now();
    for (const seconds of [2, 58]) {
      node.pass(beganAt + seconds * 1_000 - performance.now());
      for (let i = 0; i < 3; i++) await deliverOne();
      if (performance.now() < beganAt + 60_000) expect(await position(skipping)).toBe(0);
    }
    const known = Number(await stores.events.newest());
    node.pass(3_000);
    await deliverOne();
    await eventually(async () => {
      await run();
      return ((await position(skipping)) ?? 0) >= known;
    });
    expect(receiver.received.map(({ body }) => body.type)).not.toContain("order.placed");
  });
});

test("endpoints are looked for every two seconds, followed every second, and looked after at once while one fails", async () => {
  await using node = await delivering();
  const { deliveries, run, receiver, stores, webhooks } = node;
  const every = () => {
    const { every } = deliveries.task;
    return typeof every === "function" ? every() : every;
  };
  expect(every()).toBe(2_000);
  const { id } = (await node.administration.create({ url: receiver.url, after: 0 }, Date.now())).endpoint;
  await run();
  expect(every()).toBe(1_000);
  receiver.answer = () => 500;
  await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  await eventually(async () => {
    await run();
    return ((await webhooks.get(id))?.failures ?? 0) > 0;
  });
  expect(every()).toBe(100);
  // What it did is known to the metrics.
  expect(deliveries.counts).toEqual({ succeeded: 0, failed: 1 });
});

test("what an operator of this process changes of an endpoint wakes its deliveries, which read it at once", async () => {
  await using node = await delivering();
  const { deliveries, receiver, run, stores } = node;
  const sender = webhookSender({ hosts: ["127.0.0.1"] });
  const parts = { ...stores, webhooks: deliveries.administered, alerts: stores.alerts(), webhookSender: sender };
  const administration = new WebhookAdministration(parts, TESTER);
  /** How many endpoints this process delivers to after a change, without the time in which it looks for them by itself. */
  const heldAfter = async (change: () => Promise<unknown>) => {
    await run();
    let isWoken = false;
    void deliveries.task.woken?.().then(() => {
      isWoken = true;
    });
    await change();
    await eventually(() => isWoken);
    await run();
    const { every } = deliveries.task;
    return (typeof every === "function" ? every() : every) === 2_000 ? 0 : 1;
  };
  let id = "";
  const create = async () => {
    id = (await administration.create({ url: receiver.url, types: ["alert.disk_full"] }, Date.now())).endpoint.id;
  };
  expect(await heldAfter(create)).toBe(1);
  expect(await heldAfter(() => administration.update(id, { description: "The till" }, Date.now()))).toBe(1);
  expect(await heldAfter(() => administration.delete(id, Date.now()))).toBe(0);
});
