import { expect, test } from "bun:test";
import { sqlAlerts } from "../../../src/adapters/sql/alerts.ts";
import { SqlEvents, sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqlWebhooks } from "../../../src/adapters/sql/webhooks.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { webhookSender } from "../../../src/adapters/webhooks/send.ts";
import {
  countsByState,
  isDelivered,
  KEPT_DELIVERIES,
  MAX_ENDPOINTS,
  WebhookAdministration,
} from "../../../src/domain/webhooks.ts";
import { webhookStoreConformance } from "../../conformance/webhook-store.ts";
import { TESTER } from "../../support/author.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings)
  webhookStoreConformance(
    name,
    () => open((database) => ({ webhooks: sqlWebhooks(database), audit: sqlAuditLog(database) })),
    { isShared: false },
  );

const NOW = Date.UTC(2026, 11, 2, 10);
const [URL, GRACE] = ["https://shop.example.com/hook", 60_000];

/** Endpoints in a file, and their administration. */
function opened() {
  const file = temporaryFile();
  const database = new Database(file);
  const webhooks = sqlWebhooks(database);
  const parts = {
    webhooks,
    events: new SqlEvents(database),
    alerts: sqlAlerts(database),
    webhookSender: webhookSender({ hosts: [] }),
  };
  return {
    database,
    webhooks,
    administration: new WebhookAdministration(parts, TESTER),
    [Symbol.dispose]() {
      database.close();
      file.remove();
    },
  };
}

test("an endpoint that is enabled, or delivered again, begins without failures; one that is disabled stays as it was", async () => {
  using stores = opened();
  const { webhooks, administration } = stores;
  const { id } = (await administration.create({ url: URL }, NOW)).endpoint;
  const fail = async () => {
    const [claimed] = await webhooks.claim("one");
    if (claimed === undefined) throw new Error("it is not enabled");
    const disabled = { at: NOW, by: "service", reason: "10 attempts failed" } as const;
    expect(await webhooks.record("one", { ...claimed, failures: 3, nextAttemptAt: NOW + 5, disabled }, [])).toBe(true);
  };
  for (const begin of [() => administration.enable(id, NOW), () => administration.redeliverFrom(id, 7, NOW)]) {
    await fail();
    expect(countsByState(await webhooks.list())).toEqual({ enabled: 0, failing: 0, disabled: 0, failed: 1 });
    expect((await administration.disable(id, NOW + 1)).disabled).toMatchObject({ at: NOW, by: "service" });
    const begun = await begin();
    expect([begun.failures, begun.nextAttemptAt, begun.disabled]).toEqual([0, undefined, undefined]);
  }
  expect((await webhooks.get(id))?.position).toBe(7);
  await administration.disable(id, NOW + 2);
  expect((await administration.disable(id, NOW + 3)).disabled).toMatchObject({ at: NOW + 2, by: "operator" });
  expect(countsByState(await webhooks.list())).toEqual({ enabled: 0, failing: 0, disabled: 1, failed: 0 });
});

test("of several rotations the last secret before signs, too", async () => {
  using stores = opened();
  const { endpoint, secret: first } = await stores.administration.create({ url: URL }, NOW);
  const second = (await stores.administration.rotate(endpoint.id, GRACE, NOW + 1)).secret;
  const third = (await stores.administration.rotate(endpoint.id, GRACE, NOW + 2)).secret;
  expect(new Set([first, second, third]).size).toBe(3);
  expect((await stores.webhooks.get(endpoint.id))?.secrets).toEqual([
    { secret: third },
    { secret: second, expiresAt: NOW + 2 + GRACE },
  ]);
});

test("endpoints are listed oldest first, and there are a hundred at most", async () => {
  using stores = opened();
  const { administration, webhooks } = stores;
  const ids: string[] = [];
  for (let i = 0; i < MAX_ENDPOINTS; i++) ids.push((await administration.create({ url: URL }, NOW + i)).endpoint.id);
  expect((await webhooks.list()).map(({ id }) => id)).toEqual(ids);
  await expect(administration.create({ url: URL }, NOW)).rejects.toMatchObject({ code: "invalid_state" });
  expect(await webhooks.list()).toHaveLength(MAX_ENDPOINTS);
});

test("a hundred deliveries of an endpoint are kept, the last ones", async () => {
  using stores = opened();
  const { database, webhooks, administration } = stores;
  const { id } = (await administration.create({ url: URL }, NOW)).endpoint;
  const deliveries = (from: number) =>
    Array.from({ length: 70 }, (_, i) => {
      return { eventId: from + i, type: "pet.created", at: NOW, attempt: 1, milliseconds: 3, status: 200 };
    });
  for (const from of [1, 71]) {
    const [claimed] = await webhooks.claim("one");
    if (claimed === undefined) throw new Error("it is not enabled");
    expect(await webhooks.record("one", claimed, deliveries(from))).toBe(true);
  }
  const [stored] = database.all("SELECT count(*) AS count FROM petstore.webhook_deliveries WHERE endpoint_id = :id", {
    id,
  });
  expect(Number(stored?.count)).toBe(KEPT_DELIVERIES);
  const kept = (await webhooks.deliveries(id)).map(({ eventId }) => eventId);
  expect(kept).toEqual(Array.from({ length: KEPT_DELIVERIES }, (_, i) => 140 - i));
});

test.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
])("whether status %d is a delivery: %p", (status, is) => {
  expect(isDelivered({ status })).toBe(is);
});
