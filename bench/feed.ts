import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { sqlWebhooks } from "../src/adapters/sql/webhooks.ts";
import { Database } from "../src/adapters/sqlite/database.ts";
import { randomBase62 } from "../src/domain/keys/secret.ts";
import { WebhookReceiver } from "../test/support/webhook-receiver.ts";
import type { Measurement } from "./benchmark.ts";
import type { Effort } from "./effort.ts";
import { logProgress } from "./figures.ts";
import { residentMemory } from "./quantities.ts";
import { startService } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

/** How many events a receiver gets. */
const EVENTS = 5_000;
const WRITERS = 64;
const PATIENCE = 60_000;

/** Returns how many webhooks per second one receiver in this process gets, in the order of each subject. */
export async function measureWebhooks(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using service = await startService(workspace, 0, { PETSTORE_WEBHOOK_HOSTS: "127.0.0.1" });
  const headers = { Authorization: `Bearer ${service.secret}`, "Content-Type": "application/json" };
  let left = EVENTS;
  const write = async () => {
    while (left-- > 0) {
      const body = JSON.stringify({ name: "Rex", categoryId: 1 });
      const { status } = await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body });
      if (status !== 201) throw new Error(`a creation has status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  const database = new Database({ path: service.path, deployment: "production" });
  const webhooks = sqlWebhooks(database);
  const values: number[] = [];
  while (values.length < effort.rounds) {
    await using receiver = await new WebhookReceiver().start();
    const id = `whe_${randomBase62(16)}`;
    const entry = { operator: { name: "benchmark" }, at: Date.now(), action: "webhook.create", target: id } as const;
    const secrets = [{ secret: "whsec_YmVuY2htYXJr" }];
    const progress = { position: 1, failures: 0, revision: 0 };
    await webhooks.add(
      { id, url: receiver.url, types: [], description: "", secrets, createdAt: Date.now(), ...progress },
      entry,
    );
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const late = setTimeout(() => reject(new Error(`${receiver.received.length} webhooks arrived`)), PATIENCE);
    let startedAt = 0;
    receiver.answer = () => {
      const { length } = receiver.received;
      if (length === 1) startedAt = performance.now();
      if (length === EVENTS) resolve(performance.now() - startedAt);
      return 204;
    };
    const rate = ((EVENTS - 1) / (await promise)) * 1_000;
    clearTimeout(late);
    if (new Set(receiver.eventIds).size !== EVENTS) throw new Error("an event arrived twice");
    await webhooks.delete(id, { ...entry, action: "webhook.delete" });
    logProgress(`${Math.round(rate)} webhooks per second`);
    values.push(rate);
  }
  database.close();
  return { values };
}

const READERS = 10_000;
/** How many readers follow the same pet. */
const SHARED = 10;
/** The pause between two changes, in ms: 10 per second. */
const PAUSE = 100;
const CHANGES = 100;
/** How many readers connect at a time. */
const CONNECTING = 500;

/** A reader that waits for events of one pet, again and again, and calls `onAnswer` with the time (performance.now()) of each. */
function follow(port: number, secret: string, pet: number, onAnswer: (pet: number, at: number) => void): Socket {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const ask = (path: string) =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\nPrefer: wait=60\r\n\r\n`,
    );
  socket.on("connect", () => ask(`/v1/events?subject=pets/${pet}&limit=100`));
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    const head = text.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    if (head === -1 || text.length < head + 4 + length) return;
    if (!text.startsWith("HTTP/1.1 200")) throw new Error(text);
    onAnswer(pet, performance.now());
    const next = /link: <http:\/\/[^/]+([^>]+)>/i.exec(text)?.[1] ?? "";
    text = "";
    ask(next);
  });
  return socket;
}

/** Returns the p99 from a change to the answers of the readers that wait for it, in ms, or the service's memory with all of them, in MB. */
export async function measureWaitingReaders(
  workspace: Workspace,
  effort: Effort,
  figure: "latency" | "memory",
): Promise<Measurement> {
  await using service = await startService(workspace, READERS / SHARED);
  const { port, secret, url } = service;
  const changedAt = new Map<number, number>();
  let latencies: number[] = [];
  const onAnswer = (pet: number, at: number) => {
    const from = changedAt.get(pet);
    if (from !== undefined) latencies.push(at - from);
  };
  const sockets: Socket[] = [];
  while (sockets.length < READERS) {
    const pet = Math.floor(sockets.length / SHARED) + 1;
    sockets.push(follow(port, secret, pet, onAnswer));
    if (sockets.length % CONNECTING === 0) await pause(PAUSE);
  }
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/merge-patch+json" };
  const values: number[] = [];
  let pet = 0;
  while (values.length < effort.rounds) {
    // Readers that are answered with the first event wait again.
    await pause(2_000);
    latencies = [];
    for (let i = 0; i < CHANGES; i++) {
      pet = (pet % (READERS / SHARED)) + 1;
      const body = JSON.stringify({ name: `Rex ${values.length} ${i}` });
      const { status } = await fetch(`${url}/v1/pets/${pet}`, { method: "PATCH", headers, body });
      changedAt.set(pet, performance.now());
      if (status !== 200) throw new Error(`a change has status ${status}`);
      await pause(PAUSE);
    }
    await pause(2_000);
    if (latencies.length !== CHANGES * SHARED) throw new Error(`${latencies.length} answers arrived`);
    const p99 = latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * 0.99) - 1] ?? Number.NaN;
    const memory = residentMemory(service.pid);
    logProgress(`p99 ${p99.toFixed(1)} ms, ${memory.toFixed(0)} MB`);
    values.push(figure === "latency" ? p99 : memory);
  }
  for (const socket of sockets) socket.destroy();
  return { values };
}
