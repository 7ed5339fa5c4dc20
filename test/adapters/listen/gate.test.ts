import { expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { Gate } from "../../../src/adapters/listen/listener.ts";
import { noConnection } from "../../support/no-connection.ts";

/** A gate in front of an app that records when it is called, and when the socket is closed. */
function newGate() {
  const events: string[] = [];
  const gate = new Gate();
  const respond = gate.guard(() => {
    events.push("answered");
    return new Response();
  });
  const ask = async () => respond(new Request("http://localhost/"), noConnection);
  const closing = () => gate.closeQuietly(() => void events.push("closed"));
  return { events, ask, closing };
}

test("requests wait until the socket is closed, and are answered then", async () => {
  const { events, ask, closing } = newGate();
  await ask();
  const closed = closing();
  await Promise.all([ask(), ask(), closed]);
  await ask();
  expect(events).toEqual(["answered", "closed", "answered", "answered", "answered"]);
});

test("the socket stays open while requests arrive", async () => {
  const { events, ask, closing } = newGate();
  const closed = closing();
  const asked: Promise<Response>[] = [];
  for (let i = 0; i < 20; i++) {
    asked.push(ask());
    await pause(5);
  }
  expect(events).toEqual([]);
  await Promise.all([closed, ...asked]);
});

test("the socket is closed after half a second, however many requests arrive", async () => {
  const { events, ask, closing } = newGate();
  const startedAt = performance.now();
  const closed = closing();
  while (!events.includes("closed") && performance.now() - startedAt < 3_000) {
    void ask();
    await pause(5);
  }
  await closed;
  expect(performance.now() - startedAt).toBeWithin(400, 3_000);
});
