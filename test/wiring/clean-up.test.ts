import { expect, test } from "bun:test";
import { locationOf } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { startService } from "../support/service.ts";

const HOUR = 3_600_000;

test("a start deletes the idempotency keys that are older than 24 hours, and no others", async () => {
  await using service = await startService();
  const client = await service.withKey();
  const create = (key: string) => client.post("/v1/pets", { name: "Rex", categoryId: 1 }, { "Idempotency-Key": key });
  const first = service.now;
  await create("old");
  await service.advance({ seconds: 2 * 3_600 });
  await create("new");
  await service.kill();
  await service.start({ now: first + 25 * HOUR });
  const runs = async () =>
    (await metricsAt(service.adminUrl)).sum("petstore_background_task_runs_total", {
      task: "delete_idempotency_keys",
    });
  await eventually(async () => (await runs()) > 0);
  expect(await service.stores.idempotencyKeys.forget(first + HOUR)).toBe(0);
  expect(await service.stores.idempotencyKeys.forget(first + 3 * HOUR)).toBe(1);
});

test("a start deletes the requests that the history does not keep any more", async () => {
  states("docs/monitoring.md", "they are deleted at most an hour and some seconds later, about 1,000 at a time.");
  await using service = await startService();
  await (await service.withKey()).get("/v1/pets");
  const segments = () => service.stores.requests.list();
  await eventually(async () => (await segments()).length > 0);
  const [old] = await segments();
  await service.kill();
  await service.start({ now: service.now + 366 * 24 * HOUR });
  await eventually(async () => (await segments()).every(({ id }) => id !== old?.id));
});

test("a start deletes the events that are older than the days that they are kept for, and no others", async () => {
  states("docs/settings.md", "For how many days events are kept.");
  states("docs/events.md", "Events are deleted after a time, by default 30 days,");
  await using service = await startService({ env: { PETSTORE_EVENTS_DAYS: "2" } });
  const { secret } = await service.createKey();
  const add = async () => service.withSecret(secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
  const first = service.now;
  const ids = [];
  for (const day of [0, 1]) {
    await service.setClock(first + day * 24 * HOUR);
    ids.push(`pets/${(await add()).body.id}`);
  }
  const subjectsAt = async (now: number) => {
    await service.kill();
    await service.start({ now });
    const task = { task: "delete_old_events" };
    const runs = async () => (await metricsAt(service.adminUrl)).sum("petstore_background_task_runs_total", task);
    await eventually(async () => (await runs()) > 0);
    const { body } = await service.withSecret(secret).get("/v1/events");
    return body.map(({ subject }: { subject: string }) => subject);
  };
  expect(await subjectsAt(first + 47 * HOUR)).toEqual(ids);
  expect(await subjectsAt(first + 49 * HOUR)).toEqual(ids.slice(1));
});

test("what ended is deleted once its retention is over, with a line in the log; the rest stays", async () => {
  states(
    "docs/data.md",
    "by `retention`, with the time before which they ended; at most one a day.",
    "Days begin at midnight UTC: with 30, a row goes between 30 and 31 days after it became old.",
  );
  states("CHANGELOG.md", "after so many days. By default it keeps all of them.");
  states("docs/settings.md", "`keep` deletes none.");
  states("docs/errors.md", "an operator may have those that are over deleted after some time.");
  states("docs/orders.md", "An operator may have those that are over deleted after some time.");
  states(
    "docs/data.md",
    "Clients get 404 `order_not_found` for a deleted order, and `invalid_api_key` in place of `revoked_api_key`",
    "The log of the service says how many rows were deleted (`deleted old rows of orders`).",
    "The audit log gets an entry `retention.delete` before rows of a kind are deleted",
    "and at its start",
  );
  await using service = await startService({ env: { PETSTORE_ORDERS_DAYS: "30", PETSTORE_KEYS_DAYS: "30" } });
  const { secret } = await service.createKey();
  const revoked = await service.createKey();
  const order = async (status?: string) => {
    const client = service.withSecret(secret);
    const pet = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    const path = locationOf(await client.post("/v1/store/orders", { petId: pet.body.id }));
    if (status !== undefined) await client.patch(path, { status });
    return path;
  };
  const [cancelled, placed] = [await order("cancelled"), await order()];
  await service.changeKey((keys) => keys.revoke(revoked.id, service.now));
  const restart = async (days: number) => {
    await service.kill();
    await service.start({ now: service.now + days * 24 * HOUR });
    const task = { task: "delete_by_retention" };
    const runs = async () => (await metricsAt(service.adminUrl)).sum("petstore_background_task_runs_total", task);
    await eventually(async () => (await runs()) > 0);
  };
  const answers = async () => {
    const client = service.withSecret(secret);
    const answerTo = async (path: string) => {
      const { status, body } = await client.get(path);
      return body.code ?? status;
    };
    const orders = await Promise.all([cancelled, placed].map(answerTo));
    return [...orders, (await service.withSecret(revoked.secret).get("/v1/pets")).body.code];
  };
  await restart(30);
  expect(await answers()).toEqual([200, 200, "revoked_api_key"]);
  await restart(1);
  expect(await answers()).toEqual(["order_not_found", 200, "invalid_api_key"]);
  for (const kind of ["orders", "keys"])
    await eventually(() => service.output.some((line) => line.includes(`deleted old rows of ${kind}`)));
  const entries = await service.stores.audit.list({ limit: 10, action: ["retention.delete"] });
  expect(entries.map(({ target }) => target)).toEqual(["keys", "orders"]);
});
