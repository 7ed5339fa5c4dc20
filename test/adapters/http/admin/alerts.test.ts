import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { describes } from "../../../support/descriptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { useKey, useOperator, useService } from "../../../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../../../support/webhook-receiver.ts";

const service = useService({ env: RECEIVERS_ALLOWED });
const { client } = useKey(service);
const { client: admin, operator } = useOperator(service);
const { client: viewer } = useOperator(service, "viewer");

const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  for (let i = 0; i < 3; i++) receivers.push(await new WebhookReceiver().start());
});
afterAll(async () => {
  for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
});

type Alert = { id: number; type: string; subject: string; state: string };
const alertsAbout = async (subject: string): Promise<Alert[]> =>
  (await viewer.get("/admin/v1/alerts")).body.alerts.filter((alert: Alert) => alert.subject === subject);

test("a ban and a disabled endpoint are alerts: listed, acknowledged, sent to endpoints of alerts alone, and ended", async () => {
  states(
    "CHANGELOG.md",
    "of each subject one when it is raised, and one when it has ended, from any number of nodes. Clients never see them.",
  );
  states(
    "docs/webhooks.md",
    "in place of events, in the same way: signed, in order for each subject, with the same retries.",
  );
  describes("acknowledgeAlert", "Records that an operator has seen an alert.", "A second one changes nothing.");
  describes("listAlerts.state", "Only alerts in this state.");
  describes("Alert.subject", "What it is about, such as `keys/` with an id.");
  describes("Alert.acknowledgedBy", "The name of the operator.");
  describes("AlertState", "`acknowledged`: an operator has seen it, and it has not ended.");
  states(
    "docs/webhooks.md",
    "An endpoint with types that begin with `alert.` gets the alerts of operators in place of events, in the same way:",
    "No client can read alerts: the feed has none, and an endpoint without types gets all events and no alert.",
    "An alert that ended before it was delivered comes once.",
  );
  states("docs/administration.md", "`state` is `open`, `acknowledged` or `ended`");
  states(
    "docs/monitoring.md",
    "`alert.webhook_disabled` | `webhooks/whe_…` | The service has disabled a webhook endpoint, because its receiver failed or answered 410.",
    "Acknowledge an alert to show others that you have seen it. It stays until its cause is gone.",
  );
  const [ofAlerts, ofEvents, gone] = receivers;
  if (ofAlerts === undefined || ofEvents === undefined || gone === undefined) return expect.unreachable();
  const create = async (receiver: WebhookReceiver, types: string[]) =>
    (await admin.post("/admin/v1/webhooks", { url: receiver.url, types })).body;
  const types = ["alert.key_banned", "alert.webhook_disabled"];
  await service.setClock(Date.now());
  const { secret, webhook } = await create(ofAlerts, types);
  expect(webhook).toMatchObject({ types, position: 0 });
  await create(ofEvents, []);
  gone.answer = () => 410;
  const { id: goneId } = (await create(gone, ["pet.created"])).webhook;

  const { id: switchedOff } = (await create(gone, ["pet.deleted"])).webhook;
  expect((await admin.post(`/admin/v1/webhooks/${switchedOff}/disable`, {})).status).toBe(200);

  const banned = await service.createKey({ limits: { perMinute: 1, perDay: 100_000 } });
  const abuser = service.withSecret(banned.secret);
  await abuser.spend(2);
  await service.advance({ seconds: 2 });
  expect((await abuser.spend(100)).body.code).toBe("key_banned");
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });

  const [subject, other] = [`keys/${banned.id}`, `webhooks/${goneId}`];
  await eventually(async () => (await alertsAbout(subject)).length === 1 && (await alertsAbout(other)).length === 1);
  // What an operator has disabled is none.
  expect(await alertsAbout(`webhooks/${switchedOff}`)).toEqual([]);
  const [alert = expect.unreachable()] = await alertsAbout(subject);
  expect(alert).toMatchObject({ type: "alert.key_banned", state: "open", endedAt: null, acknowledgedBy: null });

  await eventually(() => ofAlerts.received.length >= 2);
  const path = `/admin/v1/alerts/${alert.id}/acknowledge`;
  expect((await viewer.post(path, {})).body.code).toBe("insufficient_role");
  const acknowledged = await admin.post(path, {});
  expect(acknowledged.body).toMatchObject({ id: alert.id, state: "acknowledged", acknowledgedBy: operator.name });
  expect((await admin.post(path, {})).body).toEqual(acknowledged.body);
  const audit = await admin.get(`/admin/v1/audit?action=alert.acknowledge&target=${alert.id}`);
  expect(audit.body.entries).toHaveLength(1);
  const ids = async (state: string) =>
    (await admin.get(`/admin/v1/alerts?state=${state}`)).body.alerts.map(({ id }: Alert) => id);
  expect(await ids("acknowledged")).toEqual([alert.id]);
  expect(await ids("open")).not.toContain(alert.id);

  await service.changeKey((keys) => keys.unban(banned.id, service.now));
  await eventually(async () => (await ids("ended")).includes(alert.id));
  await eventually(() => ofAlerts.received.length >= 3);
  const about = (one: string) => ofAlerts.received.filter(({ body }) => body.data.subject === one);
  expect(about(subject).map(({ body }) => [body.type, body.data.id, body.data.state])).toEqual([
    ["alert.key_banned", alert.id, "open"],
    ["alert.key_banned", alert.id, "ended"],
  ]);
  expect(about(other).map(({ body }) => body.data.state)).toEqual(["open"]);
  for (const { text, headers } of ofAlerts.received) new Webhook(secret).verify(text, headers);
  expect(new Set(ofAlerts.received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);

  await eventually(() => ofEvents.received.length > 0);
  expect(ofEvents.received.filter(({ body }) => !/^(pet|category|order)\./.test(body.type))).toEqual([]);
  const feed = await client.get("/v1/events?limit=100");
  expect(feed.body.map(({ type }: { type: string }) => type)).toEqual(["pet.created"]);
  expect((await client.get("/v1/events?types=alert.key_banned")).body.code).toBe("invalid_parameter");

  const again = await admin.post(`/admin/v1/webhooks/${webhook.id}/redeliver`, { after: 0 });
  expect(again.status).toBe(200);
  // What was raised and has ended comes once.
  await eventually(() => ofAlerts.received.length === 5);
  states("docs/webhooks.md", "An alert that ended before it was delivered comes once.");
  states(
    "docs/webhooks.md",
    "One message comes when an alert is raised, with the `state` `open`, and one with the same `id` in `data` when it has ended: `ended`.",
  );
});

test("an endpoint gets events or alerts, and stays with what it gets", async () => {
  states("docs/webhooks.md", "An endpoint stays with what it gets, events or alerts.");
  const url = "https://oncall.example.com/petstore";
  const create = (types: string[]) => admin.post("/admin/v1/webhooks", { url, types });
  expect((await create(["alert.disk_full", "pet.created"])).body.code).toBe("validation_failed");
  expect((await create(["alert.unknown"])).body.code).toBe("validation_failed");
  for (const [types, changed] of [
    [["alert.disk_full"], ["pet.created"]],
    [["alert.disk_full"], []],
    [["pet.created"], ["alert.disk_full"]],
    [[], ["alert.disk_full"]],
  ] as const) {
    const { id } = (await create([...types])).body.webhook;
    const path = `/admin/v1/webhooks/${id}`;
    expect((await admin.patch(path, { types: changed })).body.code).toBe("validation_failed");
    expect((await admin.get(path)).body.types).toEqual(types);
    await admin.request(path, { method: "DELETE" });
  }
  states(
    "docs/webhooks.md",
    "gets the alerts of operators in place of events",
    "an endpoint without types gets all events and no alert.",
  );
});

test.each(["0", "-1", "x", "1.5", "99999999999999999999", "..%2f1", "%00"])("there is no alert %s", async (id) => {
  states("docs/administration.md", "There is no alert with this id");
  expect((await admin.post(`/admin/v1/alerts/${id}/acknowledge`, {})).body.code).toBe("alert_not_found");
});

test("a page is continued before its last alert", async () => {
  states("docs/administration.md", "There is no alert with this id, or it is no longer kept.");
  describes("listAlerts.before", "Only alerts older than this one.");
  states("docs/administration.md", "`GET /admin/v1/alerts?limit=&before=&state=` | `alerts`, newest first, and `next`");
  const alerts = ["a", "b", "c"].map((name) => ({ type: "alert.disk_full", subject: name, message: name }) as const);
  await service.stores.alerts().change(alerts, [], service.now);
  const first = (await viewer.get("/admin/v1/alerts?limit=2")).body;
  expect(first.alerts).toHaveLength(2);
  expect(first.next).toBe(first.alerts[1].id);
  const second = (await viewer.get(`/admin/v1/alerts?limit=2&before=${first.next}`)).body;
  expect(second.alerts[0].id).toBeLessThan(first.next);
});
