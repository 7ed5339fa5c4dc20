import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import manifest from "../../../package.json" with { type: "json" };
import { SECRET_LIKE } from "../../../src/domain/keys/secret.ts";
import { MAX_ENDPOINTS } from "../../../src/domain/webhooks.ts";
import { describes } from "../../support/descriptions.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { metricsAt } from "../../support/metrics.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../../support/webhook-receiver.ts";

const service = useService({ env: RECEIVERS_ALLOWED });
const { client } = useKey(service);
const { client: admin } = useOperator(service);

const receivers: WebhookReceiver[] = [];
const created: string[] = [];
afterEach(async () => {
  for (const id of created.splice(0)) await admin.request(`/admin/v1/webhooks/${id}`, { method: "DELETE" });
  for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]();
});

/** A receiver with its endpoint. */
async function subscribed(options: object = {}) {
  const receiver = await new WebhookReceiver().start();
  receivers.push(receiver);
  const { status, body } = await admin.post("/admin/v1/webhooks", { url: receiver.url, ...options });
  expect(status).toBe(201);
  const { id } = body.webhook;
  created.push(id);
  const path = `/admin/v1/webhooks/${id}`;
  const get = async () => (await admin.get(path)).body;
  return {
    id: id as string,
    receiver,
    secret: body.secret as string,
    path,
    get,
    deliveries: async () => (await admin.get(`${path}/deliveries`)).body.deliveries,
    act: (verb: string, sent: object = {}) => admin.post(`${path}/${verb}`, sent),
    /** Resolves when it is stored that so many attempts failed. */
    failed: (times: number) => eventually(async () => (await get()).failures === times),
  };
}

const addPet = async (name: string): Promise<{ id: number }> =>
  (await client.post("/v1/pets", { name, categoryId: 1 })).body;
const changePet = (id: number, name: string) => client.patch(`/v1/pets/${id}`, { name });

describe("an endpoint", () => {
  test("gets each change as the feed has it, one after the other", async () => {
    states(
      "docs/webhooks.md",
      "From then on the service sends each event to it with `POST`.",
      "`data` is the event, as the feed has it.",
      "2xx | The next event follows.",
    );
    const { receiver, get } = await subscribed();
    describes("getWebhook", "Returns an endpoint.");
    expect(Object.keys(await get())).not.toContain("secret");
    const pet = await addPet("Rex");
    await changePet(pet.id, "Max");
    await eventually(() => receiver.received.length === 2);
    const { body: events } = await client.get(`/v1/events?subject=pets/${pet.id}`);
    expect(receiver.received.map(({ body }) => body)).toEqual(
      events.map((event: { type: string; at: string }) => ({ type: event.type, timestamp: event.at, data: event })),
    );
    const [first, second] = receiver.received;
    expect(first?.headers).toMatchObject({
      ...{ "content-type": "application/json", "user-agent": `petstore/${manifest.version}` },
      "content-length": String(Buffer.byteLength(first?.text ?? "")),
    });
    expect(first?.headers["webhook-id"]).not.toBe(second?.headers["webhook-id"]);
    states(
      "docs/webhooks.md",
      "From then on the service sends each event to it with `POST`.",
      "`data` is the event, as the feed has it.",
      "| `content-type` | `application/json` |",
    );
  });

  test("that an operator changes is looked at then, and not only when all are looked at again", async () => {
    const { path } = await subscribed();
    const looks = async () =>
      (await metricsAt(service.adminUrl)).value("petstore_background_task_runs_total", { task: "deliver_webhooks" });
    const before = await looks();
    const beganAt = performance.now();
    for (let i = 0; i < 20; i++) {
      for (const verb of ["disable", "enable"]) expect((await admin.post(`${path}/${verb}`, {})).status).toBe(200);
    }
    // Without a change there is one each second, and several changes may share one.
    await eventually(async () => (await looks()) - before > (performance.now() - beganAt) / 1_000 + 5);
  });

  test("has signatures of Standard Webhooks, with both secrets during a rotation", async () => {
    describes("WebhookRotation", "For how long the old secret signs, too.");
    describes("IssuedWebhook.secret", "Signs the deliveries.");
    states(
      "docs/webhooks.md",
      "Requests have the form of Standard Webhooks 1.0",
      "`webhook-timestamp` | When this attempt was made, in Unix seconds.",
      "`webhook-signature` | One or two signatures, separated by a space, each `v1,` and the base64 of an HMAC-SHA256.",
      "For a day, or as long as you say, requests have signatures with both secrets.",
    );
    await service.setClock(Date.now());
    const { id, receiver, secret, act, get } = await subscribed();
    const { body: rotated } = await act("rotate", { graceSeconds: 60 });
    const endsAt = new Date(service.now + 60_000).toISOString();
    expect(rotated.webhook.oldSecretExpiresAt).toBe(endsAt);
    const [entry] = (await admin.get(`/admin/v1/audit?target=${id}&limit=1`)).body.entries;
    expect(entry).toMatchObject({ action: "webhook.rotate", after: { oldSecretExpiresAt: endsAt } });
    expect(JSON.stringify(entry)).not.toMatch(/whsec_|secrets/);
    await addPet("Rex");
    await eventually(() => receiver.received.length === 1);
    const { text, headers } = receiver.received[0] ?? expect.unreachable();
    expect(headers["webhook-timestamp"]).toBe(String(Math.floor(service.now / 1_000)));
    expect(headers["webhook-signature"]).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const valid of [secret, rotated.secret]) {
      expect(new Webhook(valid).verify(text, headers)).toMatchObject({ type: "pet.created" });
    }
    expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow("signature");
    await service.advance({ seconds: 59 });
    await addPet("Mia");
    await eventually(() => receiver.received.length === 2);
    const last = receiver.received[1] ?? expect.unreachable();
    expect(new Webhook(secret).verify(last.text, last.headers)).toMatchObject({ type: "pet.created" });
    await service.advance({ seconds: 1 });
    await addPet("Max");
    await eventually(() => receiver.received.length === 3);
    const later = receiver.received[2] ?? expect.unreachable();
    expect(new Webhook(rotated.secret).verify(later.text, later.headers)).toMatchObject({ type: "pet.created" });
    expect(() => new Webhook(secret).verify(later.text, later.headers)).toThrow("signature");
    await eventually(async () => (await get()).position === later.body.data.id);
    states(
      "docs/webhooks.md",
      "requests have signatures with both secrets.",
      "`webhook-signature` | One or two signatures, separated by a space, each `v1,` and the base64 of an HMAC-SHA256.",
    );
  });

  test("gets only the types that it names, from the event that it names", async () => {
    states("docs/administration.md", "It begins after the event `after`, by default with the next one");
    describes("Webhook.types", "The types that it gets, either of events or of alerts;");
    describes("NewWebhook.after", "The id of the event after which it begins;");
    states("docs/administration.md", "It begins after the event `after`");
    const { id: earlier } = await addPet("Rex");
    const { body: events } = await client.get(`/v1/events?subject=pets/${earlier}`);
    const after = events[0].id - 1;
    const { receiver, path } = await subscribed({ types: ["pet.created"], after });
    await changePet(earlier, "Max");
    const { id: later } = await addPet("Mia");
    await eventually(() => receiver.received.length === 2);
    // Those of different subjects may arrive together.
    expect(receiver.received.map(({ body }) => body.data.subject).toSorted()).toEqual(
      [`pets/${earlier}`, `pets/${later}`].toSorted(),
    );
    await eventually(async () => (await admin.get(path)).body.position === Math.max(...receiver.eventIds));
    const changed = await admin.patch(path, { types: ["pet.deleted"], description: "The shop" });
    expect(changed.body).toMatchObject({
      ...{ url: receiver.url, types: ["pet.deleted"], description: "The shop", state: "enabled" },
    });
    // What is left out stays, and nothing of a change that is refused is made.
    const { body: renamed } = await admin.patch(path, { description: "" });
    expect(renamed).toEqual({ ...changed.body, description: "" });
    for (const [wrong, field] of [
      [{ url: "https://10.0.0.1/" }, "url"],
      [{ url: "http://shop.example.com/" }, "url"],
      [{ types: ["pet.sold"] }, "types.0"],
      [{ types: ["pet.created", "alert.disk_full"] }, "types"],
      [{ description: "a\nb" }, "description"],
    ] as const) {
      const refused = await admin.patch(path, { description: "x", ...wrong });
      expect(refused.body).toMatchObject({ code: "validation_failed", details: [{ field }] });
    }
    expect((await admin.get(path)).body).toEqual(renamed);
    await addPet("Tom");
    await client.request(`/v1/pets/${later}`, { method: "DELETE" });
    await eventually(() => receiver.received.length === 3);
    expect(receiver.received[2]?.body).toMatchObject({ type: "pet.deleted", data: { subject: `pets/${later}` } });
  });

  test("that begins after 0 gets the oldest events that are kept", async () => {
    describes("NewWebhook.after", "0 is before the oldest.");
    states("docs/webhooks.md", "0 is before the oldest that is kept.");
    await client.post("/v1/categories", { name: "Oldest" });
    const { receiver } = await subscribed({ types: ["category.created"], after: 0 });
    await eventually(() => receiver.received.length === 1);
    expect(receiver.received[0]?.body.data.data).toMatchObject({ name: "Oldest" });
    states("docs/webhooks.md", "0 is before the oldest that is kept.");
  });

  test("whose events are all skipped is not saved for each of them", async () => {
    const skipping = await subscribed({ types: ["order.placed"] });
    const other = await subscribed();
    const { position } = await skipping.get();
    for (let i = 1; i <= 5; i++) {
      await addPet("Rex");
      await eventually(() => other.receiver.received.length === i);
    }
    expect((await skipping.get()).position).toBe(position);
  });

  test("gets the events of a subject in order, each at least once, however its receiver fails", async () => {
    states(
      "docs/webhooks.md",
      "any other, a redirect too, or none within 10 seconds | The event is tried again.",
      "Events of one subject, such as `pets/7`, arrive one after the other, in the order of their versions.",
      "any other, a redirect too",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pet: fc.nat(2), isNew: fc.boolean() }), { minLength: 5, maxLength: 25 }),
        fc.array(fc.constantFrom(200, 200, 200, 204, 301, 500, 404, "cut" as const), { minLength: 1, maxLength: 8 }),
        async (changes, answers) => {
          const pets = [await addPet("a"), await addPet("b"), await addPet("c")];
          const { receiver, get } = await subscribed();
          const accepted: number[] = [];
          receiver.answer = ({ body }) => {
            const answer = answers.shift() ?? 200;
            if (answer === 200 || answer === 204) accepted.push(body.data.id);
            return answer;
          };
          const { position } = await get();
          for (const [i, { pet, isNew }] of changes.entries()) {
            if (isNew) await addPet(`new ${i}`);
            else await changePet(pets[pet]?.id ?? 0, `name ${i}`);
          }
          const { body: events } = await client.get(`/v1/events?after=${position}&limit=100`);
          const newest = events.at(-1).id;
          await eventually(async () => {
            const { position: reached, nextAttemptAt } = await get();
            if (nextAttemptAt !== null) await service.setClock(Math.max(service.now, Date.parse(nextAttemptAt)));
            return reached === newest;
          });
          expect([...new Set(accepted)].toSorted((a, b) => a - b)).toEqual(events.map(({ id }: { id: number }) => id));
          // What was accepted is not sent again while the process lives.
          expect(new Set(accepted).size).toBe(accepted.length);
          for (const sent of Map.groupBy(receiver.received, ({ body }) => body.data.subject).values()) {
            const versions = sent.map(({ body }) => body.data.version);
            expect(versions).toEqual(versions.toSorted((a, b) => a - b));
          }
        },
      ),
      { numRuns: 4 },
    );
    states(
      "docs/webhooks.md",
      "Events of one subject, such as `pets/7`, arrive one after the other, in the order of their versions.",
      "Expect repetitions: an event may come more than once.",
    );
  });
});

describe("a receiver that", () => {
  test("fails is tried as the schedule says, with the same id and body, then its endpoint is disabled", async () => {
    states(
      "CHANGELOG.md",
      "signed as Standard Webhooks 1.0 says, at least once and in the order of each subject, with retries over 28 hours.",
    );
    describes("Webhook.state", "`failing`: the last attempt failed, and another one follows.");
    describes("WebhookDelivery.attempt", "How often the event was tried in a row.");
    describes("WebhookDelivery.status", "The status of the answer;");
    states(
      "docs/webhooks.md",
      "`webhook-id` | The id of the delivery, the same at each attempt: made of the event and the endpoint.",
      "An event that fails is tried again after 5 seconds, 30 seconds, 2, 10 and 30 minutes, 2, 5, 10 and 10 hours.",
      "When the tenth attempt fails, after 28 hours, the endpoint is disabled: the log says so, the metric `petstore_webhooks`",
      "When you enable it, it goes on with the event that failed",
    );
    const { id, receiver, get, act, failed, deliveries } = await subscribed();
    receiver.answer = () => 500;
    const pet = await addPet("Rex");
    const delays = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (const [i, seconds] of delays.entries()) {
      await failed(i + 1);
      expect(await get()).toMatchObject({
        state: "failing",
        nextAttemptAt: new Date(service.now + seconds * 1_000).toISOString(),
      });
      await service.advance({ seconds });
    }
    await eventually(async () => (await get()).state === "disabled");
    expect(await get()).toMatchObject({
      disabledBy: "service",
      disabledReason: "10 attempts failed, the last with status 500.",
      failures: 10,
      nextAttemptAt: null,
    });
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers, text }) => `${headers["webhook-id"]} ${text}`)).size).toBe(1);
    const [last] = await deliveries();
    expect(last).toMatchObject({ attempt: 10, status: 500, error: null, type: "pet.created" });
    await eventually(
      async () => (await metricsAt(service.adminUrl)).value("petstore_webhooks", { state: "failed" }) === 1,
    );
    const logged = service.output.filter((line) => line.includes("a webhook endpoint is disabled"));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 50, endpoint: id, host: new URL(receiver.url).host, reason: (await get()).disabledReason },
    ]);
    states(
      "docs/monitoring.md",
      "`endpoint` and `host` name it, `reason` says why.",
      "and `failed`: disabled by the service.",
    );

    // Enabled, it goes on where it stopped.
    receiver.answer = () => 200;
    await changePet(pet.id, "Max");
    expect((await act("enable")).body).toMatchObject({ state: "enabled", disabledAt: null, failures: 0 });
    await eventually(() => receiver.received.length === 12);
    expect(receiver.received.slice(10).map(({ body }) => body.data.version)).toEqual([1, 2]);
    states(
      "docs/webhooks.md",
      "`webhook-id` | The id of the delivery, the same at each attempt: made of the event and the endpoint.",
      "whose `webhook-id` you know.",
      "| any other, a redirect too, or none within 10 seconds | The event is tried again. |",
    );
  });

  test("has failed gets one event until it accepts that, and begins anew with its schedule afterwards", async () => {
    describes("Webhook.position", "The id of the event up to which all were delivered;");
    describes("Webhook.failures", "The failed attempts at the next event.");
    states("docs/webhooks.md", "It holds back what follows on its endpoint");
    const { receiver, get, failed } = await subscribed();
    receiver.answer = () => 500;
    for (const name of ["a", "b", "c"]) await addPet(name);
    await failed(1);
    const tried = receiver.received.length;
    await service.advance({ seconds: 5 });
    await failed(2);
    expect(receiver.received).toHaveLength(tried + 1);
    receiver.answer = () => 200;
    await service.advance({ seconds: 30 });
    await eventually(async () => (await get()).position === Math.max(...receiver.eventIds));
    expect(await get()).toMatchObject({ state: "enabled", failures: 0, nextAttemptAt: null });
    receiver.answer = () => 500;
    await addPet("d");
    await failed(1);
    expect((await get()).nextAttemptAt).toBe(new Date(service.now + 5_000).toISOString());
    states("docs/webhooks.md", "It holds back what follows on its endpoint, and no other endpoint.");
  });

  test("answers 410 disables its endpoint", async () => {
    states("docs/webhooks.md", "410 | The endpoint is disabled.");
    const { receiver, get } = await subscribed();
    receiver.answer = () => 410;
    await addPet("Rex");
    await eventually(async () => (await get()).state === "disabled");
    expect((await get()).disabledReason).toBe("The receiver answered 410 Gone.");
    expect(receiver.received).toHaveLength(1);
    states("docs/webhooks.md", "| 410 | The endpoint is disabled. |");
  });

  test.each([
    ["failing", 500, 410],
    ["disabled", 410, 500],
  ])(
    "refuses several events at once makes its endpoint %s, as its answer to the first of them says",
    async (state, first, second) => {
      states("docs/webhooks.md", "Those of different subjects may arrive at the same time");
      const { receiver, act, get, deliveries } = await subscribed();
      await act("disable");
      const pets = [await addPet("Rex"), await addPet("Mia")];
      // Both are under way at once, and the answer to the first comes last.
      let isSecondAnswered = false;
      receiver.answer = async ({ body }) => {
        await eventually(() => receiver.received.length === 2);
        if (body.data.subject === `pets/${pets[1]?.id}`) {
          isSecondAnswered = true;
          return second;
        }
        await eventually(() => isSecondAnswered);
        return first;
      };
      await act("enable");
      await eventually(async () => (await get()).failures === 1);
      expect((await get()).state).toBe(state);
      expect((await deliveries()).map(({ status }: { status: number }) => status)).toEqual([first, second]);
    },
  );

  test("hangs delays no other", async () => {
    states(
      "docs/webhooks.md",
      "Store what you need, and answer with any 2xx status within 10 seconds. Do what takes longer afterwards.",
    );
    states("docs/webhooks.md", "It holds back what follows on its endpoint, and no other endpoint.");
    const hanging = await subscribed();
    const other = await subscribed();
    hanging.receiver.answer = () => "nothing";
    for (let i = 0; i < 5; i++) await addPet("Rex");
    await eventually(() => other.receiver.received.length === 5);
    await eventually(async () => (await hanging.get()).position < (await other.get()).position);
  });
});

describe("an operator", () => {
  test("sees all endpoints, the oldest first", async () => {
    states("docs/administration.md", "`GET /admin/v1/webhooks` | all webhook endpoints, oldest first");
    describes("Webhooks", "All endpoints, oldest first.");
    const first = await subscribed();
    await service.advance({ seconds: 1 });
    const second = await subscribed();
    const { webhooks } = (await admin.get("/admin/v1/webhooks")).body;
    expect(webhooks.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  });

  test("sends a test event, and sees what became of it", async () => {
    describes("WebhookDelivery.eventId", "null for a test event.");
    describes("WebhookDelivery.type", "or `webhook.test`.");
    describes("WebhookDeliveries", "newest first.");
    states(
      "docs/webhooks.md",
      "A test event has the type `webhook.test` and no event in `data`.",
      "try a receiver | Send a test event. It is sent at once, and its outcome shown.",
    );
    states(
      "docs/administration.md",
      "`POST /admin/v1/webhooks/{webhookId}/test` | what became of a test event",
      "`GET /admin/v1/webhooks/{webhookId}/deliveries` | the last 100 `deliveries`, newest first",
    );
    const { id, receiver, act, deliveries } = await subscribed();
    expect((await act("test")).body).toEqual({
      ...{ id: null, eventId: null, type: "webhook.test", attempt: 1, status: 200, error: null },
      ...{ at: expect.any(String), milliseconds: expect.any(Number) },
    });
    expect(receiver.received[0]?.body).toMatchObject({ type: "webhook.test", data: { endpoint: id } });
    receiver.answer = () => 503;
    expect((await act("test")).body).toMatchObject({ status: 503 });
    expect((await deliveries()).map(({ status }: { status: number }) => status)).toEqual([503, 200]);
    describes("testWebhook", "at once, also while the endpoint is disabled. Returns what became of it.");
    await act("disable");
    expect((await act("test")).body).toMatchObject({ eventId: null, status: 503 });
    states(
      "docs/webhooks.md",
      "try a receiver | Send a test event. It is sent at once, and its outcome shown.",
      "A test event has the type `webhook.test` and no event in `data`.",
    );
  });

  test("has one event sent again, or all after one", async () => {
    describes(
      "redeliverWebhook",
      "With `after` delivers all events after that one, again and in order, enables the endpoint, and returns null.",
    );
    describes("WebhookRedelivered", "The attempt at one event; null if all after one follow.");
    describes("WebhookRedelivery", "Either one event, or the id of the event after which all follow.");
    states(
      "docs/webhooks.md",
      "send one event again | Redeliver it: it is sent at once, outside the order.",
      "send all events again from a position | Redeliver from the id of an event.",
    );
    states(
      "docs/administration.md",
      "`POST /admin/v1/webhooks/{webhookId}/redeliver` with `eventId` or `after` | what became of the event; null if all events after one follow",
      "There is no event with this id",
    );
    const { receiver, act, get } = await subscribed();
    for (const name of ["a", "b", "c"]) await addPet(name);
    await eventually(() => receiver.received.length === 3);
    // Those of different subjects may arrive together.
    const [first = 0, second = 0, third = 0] = receiver.eventIds.toSorted((a, b) => a - b);
    expect((await act("redeliver", { eventId: second })).body).toMatchObject({
      ...{ id: null, eventId: second, type: "pet.created", attempt: 1, status: 200, error: null },
    });
    expect(receiver.received[3]).toEqual(
      receiver.received.find(({ body }) => body.data.id === second) ?? expect.unreachable(),
    );
    await act("disable");
    expect((await act("redeliver", { after: first })).body).toBeNull();
    await eventually(() => receiver.received.length === 6);
    expect(receiver.eventIds.slice(4).toSorted((a, b) => a - b)).toEqual([second, third]);
    expect((await get()).state).toBe("enabled");
    // No event has the id before the first one.
    for (const eventId of [1, 2 ** 52]) expect((await act("redeliver", { eventId })).body.code).toBe("event_not_found");
    for (const neither of [{ eventId: 1, after: 1 }, {}, { eventId: 0 }, { after: -1 }])
      expect((await act("redeliver", neither)).body.code).toBe("validation_failed");
  });

  test.each([
    ["enable", {}],
    ["redeliver", { after: 0 }],
  ])("has a failing endpoint tried at once, before it is due again: %s", async (verb, sent) => {
    const { receiver, act, get, failed } = await subscribed();
    receiver.answer = () => 500;
    const pet = await addPet("Rex");
    await failed(1);
    const isDelivered = () => receiver.received.slice(1).some(({ body }) => body.data.subject === `pets/${pet.id}`);
    receiver.answer = () => 200;
    await act(verb, sent);
    await eventually(isDelivered);
    await eventually(async () => (await get()).position === Math.max(...receiver.eventIds));
    expect(await get()).toMatchObject({ state: "enabled", failures: 0, nextAttemptAt: null });
  });

  test("disables an endpoint, which then gets nothing until it is enabled", async () => {
    states(
      "docs/mirror.md",
      "Webhooks send the same events to your URL. They may repeat events, and end while your endpoint is disabled: keep the position, and follow the feed after a gap.",
    );
    describes("disableWebhook", "Delivers nothing until it is enabled.");
    states("docs/webhooks.md", "stop for a while | Disable the endpoint. Enabled, it goes on where it stopped.");
    const { receiver, act } = await subscribed();
    const other = await subscribed();
    expect((await act("disable")).body).toMatchObject({ state: "disabled", disabledBy: "operator" });
    // A pass that began before may deliver one more.
    await addPet("Rex");
    await eventually(() => other.receiver.received.length === 1);
    await addPet("Max");
    await eventually(() => other.receiver.received.length === 2);
    const before = receiver.received.length;
    expect(before).toBeLessThanOrEqual(1);
    await act("enable");
    await eventually(() => receiver.received.length >= 2);
    states("docs/webhooks.md", "stop for a while | Disable the endpoint. Enabled, it goes on where it stopped.");
  });

  test.each([
    [{ url: "http://shop.example.com/" }, "url"],
    [{ url: "https://10.0.0.1/" }, "url"],
    [{ url: "https://[::ffff:127.0.0.1]/" }, "url"],
    [{ url: 7 }, "url"],
    [{}, "url"],
    [{ url: "https://shop.example.com/", types: ["pet.sold"] }, "types.0"],
    [{ url: "https://shop.example.com/", description: "a\nb" }, "description"],
    [{ url: "https://shop.example.com/", after: -1 }, "after"],
  ])("creates none from %j", async (body, field) => {
    const answer = await admin.post("/admin/v1/webhooks", body);
    expect(answer.body).toMatchObject({ code: "validation_failed", details: [{ field }] });
  });

  test("is refused one endpoint more than there may be", async () => {
    const url = "http://127.0.0.1:1/hook";
    const create = () => admin.post("/admin/v1/webhooks", { url, types: ["alert.disk_full"] });
    for (let i = 0; i < MAX_ENDPOINTS; i++) {
      const { status, body } = await create();
      expect(status).toBe(201);
      created.push(body.webhook.id);
    }
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(refused.body.message).toContain(`${MAX_ENDPOINTS} endpoints`);
  });

  test("sees a secret once", async () => {
    states("docs/webhooks.md", "The secret that this prints, `whsec_…`, is shown only once.");
    states(
      "docs/administration.md",
      "`POST /admin/v1/webhooks` with `url`, `types`, `description`, `after` | 201, `webhook` and its `secret`, which is shown only now.",
    );
    const { secret, act, path, id } = await subscribed();
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const answers = [await act("rotate"), await admin.request(`${path}/rotate`, { method: "POST" })];
    // By default the old one signs for a day.
    const endsAt = new Date(service.now + 86_400_000).toISOString();
    expect(answers.map(({ body }) => body.webhook.oldSecretExpiresAt)).toEqual([endsAt, endsAt]);
    const rotated = answers.map(({ body }) => body.secret);
    const texts = [await admin.get(path), await admin.get("/admin/v1/webhooks"), await admin.get("/admin/v1/audit")];
    for (const { text } of [...texts, { text: service.output.join("\n") }]) {
      expect(text).not.toContain(secret);
      for (const one of rotated) expect(text).not.toContain(one);
      expect(text.match(SECRET_LIKE)).toBeNull();
    }
    const { entries } = (await admin.get(`/admin/v1/audit?target=${id}`)).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...["webhook.rotate", "webhook.rotate", "webhook.create"],
    ]);
    states("docs/webhooks.md", "is shown only once.");
  });

  test("has an entry in the audit log for each thing that it does with an endpoint", async () => {
    const { id, receiver, path, act, get } = await subscribed();
    const { description: _, failures: __, nextAttemptAt: ___, state, ...created } = await get();
    await addPet("Rex");
    await eventually(async () => receiver.received.length === 1 && (await get()).position === receiver.eventIds[0]);
    const [eventId = 0] = receiver.eventIds;
    receiver.answer = () => 500;
    for (const [verb, sent] of [
      ["test", {}],
      ["redeliver", { eventId }],
      ["disable", {}],
      // It stays as it is, which is a change of nothing.
      ["enable", {}],
      ["redeliver", { after: eventId }],
    ] as const)
      expect((await act(verb, sent)).status).toBe(200);
    expect((await admin.patch(path, { description: "The shop", types: ["pet.created"] })).status).toBe(200);
    expect((await admin.request(path, { method: "DELETE" })).status).toBe(204);
    const { entries } = (await admin.get(`/admin/v1/audit?target=${id}`)).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(
      ["delete", "update", "redeliver", "enable", "disable", "redeliver", "test", "create"].map(
        (verb) => `webhook.${verb}`,
      ),
    );
    const [deleted, updated, all, enabled, disabled, one, tested, first] = entries;
    const place = { id, url: receiver.url, types: [], position: eventId };
    const changed = { types: ["pet.created"], description: "The shop" };
    expect([deleted.before, deleted.after]).toMatchObject([{ ...place, ...changed }, null as never]);
    expect([updated.before, updated.after]).toMatchObject([place, { ...place, ...changed }]);
    expect([all.before.position, all.after.position]).toEqual([eventId, eventId]);
    const off = { by: "operator", reason: "An operator disabled it." };
    expect([disabled.before.disabled, disabled.after.disabled]).toMatchObject([undefined as never, off]);
    expect([enabled.before.disabled, enabled.after.disabled]).toMatchObject([off, undefined as never]);
    expect([one.before, one.after, tested.before, tested.after]).toEqual([
      ...[null, { eventId, status: 500 }],
      ...[null, { eventId: null, status: 500 }],
    ]);
    expect([first.before, first.after.createdAt, state]).toEqual([null, created.createdAt, "enabled"]);
  });

  test("gets 404 for an endpoint that does not exist", async () => {
    states(
      "docs/administration.md",
      "There is no webhook endpoint with this id.",
      "There is no event with this id, or it is no longer kept.",
    );
    states("docs/administration.md", "There is no webhook endpoint with this id.");
    const path = "/admin/v1/webhooks/whe_unknown";
    const answers = [
      await admin.get(path),
      await admin.get(`${path}/deliveries`),
      await admin.patch(path, { description: "" }),
      await admin.request(path, { method: "DELETE" }),
      ...(await Promise.all(
        ["rotate", "enable", "disable", "test"].map((verb) => admin.request(`${path}/${verb}`, { method: "POST" })),
      )),
      await admin.post(`${path}/redeliver`, { after: 0 }),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => "webhook_not_found"));
  });
});

describe("a service that", () => {
  test("is killed loses no event, and goes on after its start", async () => {
    states(
      "docs/reliability.md",
      "The service is killed while it delivers webhooks | Each event is delivered at least once. What was delivered and not yet stored comes again.",
    );
    states(
      "docs/webhooks.md",
      "The service stores up to which event an endpoint has everything. After a crash of the service it sends again what it had not stored",
    );
    const { receiver, get } = await subscribed();
    for (let i = 0; i < 30; i++) await addPet(`Rex ${i}`);
    // On PostgreSQL the lease of the killed process would have to end first: test/nodes has that.
    if (service.store.engine === "sqlite") await eventually(() => receiver.received.length > 5);
    await service.kill();
    await service.start();
    await addPet("last");
    await eventually(() => receiver.received.some(({ body }) => body.data.data.name === "last"));
    await eventually(() => new Set(receiver.eventIds).size === 31);
    await eventually(async () => (await get()).position === Math.max(...receiver.eventIds));
    states(
      "docs/webhooks.md",
      "After a crash of the service it sends again what it had not stored: events may repeat.",
    );
  });
});
