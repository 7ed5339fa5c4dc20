import { expect, test } from "bun:test";
import { verifyWebhook } from "../../client/src/main.ts";
import { type ReceivedWebhook, type StoreEvent, startPetstore, startWebhookReceiver } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

/** For busy machines. */
const PATIENT = { timeout: 60_000 };

test("a receiver gets the events of a pet store since its start, and since a reset, signed with its secret", async () => {
  states(
    "docs/testing.md",
    "With `webhook: receiver` a pet store sends its webhooks to a receiver of `startWebhookReceiver()`, which has what arrived in `received`, waits for it with `waitFor({ type, subject })`,",
  );
  await using receiver = await startWebhookReceiver();
  await using store = await startPetstore({ webhook: receiver, now: "2027-01-01T00:00:00Z" });
  for (const name of ["Rex", "Max"]) {
    store.clock.freeze();
    const { id } = await store.createPet({ name, categoryId: 1 });
    await eventually(() => receiver.received.at(-1)?.message.data.data.name === name);
    const [{ at, ...event }] = (await store.events.list()) as [StoreEvent];
    expect(await receiver.waitFor({ type: "pet.created", subject: `pets/${id}` })).toBe(receiver.received[0] as never);
    const { headers, body, message } = receiver.received.at(-1) as ReceivedWebhook;
    const timestamp = at.toISOString();
    expect(message).toEqual({ type: "pet.created", timestamp, data: { ...event, at: timestamp } });
    const verified = await verifyWebhook(body, headers, receiver.secret, store.clock.now().getTime());
    expect(verified).toEqual(message as never);
    await store.reset();
  }
  expect(receiver.received).toHaveLength(2);
  states(
    "docs/testing.md",
    "sends its webhooks to a receiver of `startWebhookReceiver()`, which has what arrived in `received`",
  );
});

test("what a receiver refuses is sent again, by the clock, and only the types that it asks for", async () => {
  states(
    "docs/testing.md",
    "and answers with the status that `answer` returns. With `webhook: { url, secret, types }` it sends them to your own receiver.",
  );
  await using receiver = await startWebhookReceiver();
  let failures = 2;
  // A promise too, until which what has arrived is there already.
  const arrived: number[] = [];
  receiver.answer = async () => {
    arrived.push(receiver.received.length);
    await new Promise(setImmediate);
    return failures-- > 0 ? 500 : 204;
  };
  const { url, secret } = receiver;
  await using store = await startPetstore({ webhook: { url, secret, types: ["order.placed"] } });
  const { id: petId } = await store.createPet({ name: "Rex", categoryId: 1 });
  await call(store, "/store/orders", { body: { petId } });
  const first = await receiver.waitFor({}, PATIENT);
  expect(first.message.type).toBe("order.placed");
  await eventually(() => {
    store.clock.advance({ seconds: 30 });
    return receiver.received.length === 3;
  });
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(
    Array(3).fill(first.headers["webhook-id"]),
  );
  expect(arrived).toEqual([1, 2, 3]);
  states("docs/testing.md", "What is refused is sent again, by the clock.");
});

test("waiting for a webhook is bounded, and invalid options are refused", async () => {
  await using receiver = await startWebhookReceiver();
  await expect(receiver.waitFor({ subject: "pets/1" }, { timeout: 10 })).rejects.toThrow(
    'receiver.waitFor: no webhook within 10 ms matches {"subject":"pets/1"}.',
  );
  const { url, secret } = receiver;
  const start = (webhook: object) => startPetstore({ webhook: webhook as never });
  await expect(start({ url: "ftp://localhost", secret })).rejects.toThrow("startPetstore: webhook.url");
  await expect(start({ url, secret: "secret" })).rejects.toThrow(
    "startPetstore: webhook.secret: must be base64 with the prefix whsec_.",
  );
  await expect(start({ url, secret, types: ["pet.sold"] })).rejects.toThrow("startPetstore: webhook.types");
});

test("closing a receiver cuts what it has not answered", async () => {
  const receiver = await startWebhookReceiver();
  const arrived = Promise.withResolvers<void>();
  receiver.answer = () => {
    arrived.resolve();
    return new Promise(() => {});
  };
  const sent = fetch(receiver.url, { method: "POST", body: "{}", signal: AbortSignal.timeout(20_000) }).then(
    () => "answered",
    ({ name }) => (name === "TimeoutError" ? "left open" : "cut"),
  );
  await arrived.promise;
  await receiver.close();
  expect(await sent).toBe("cut");
});
