import { sqlWebhooks } from "../src/adapters/sql/webhooks.ts";
import { Database } from "../src/adapters/sqlite/database.ts";
import { randomBase62 } from "../src/domain/keys/secret.ts";
import { WebhookReceiver } from "../test/support/webhook-receiver.ts";
import type { Measurement } from "./benchmark.ts";
import type { Effort } from "./effort.ts";
import { logProgress } from "./figures.ts";
import { startService } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

/** How many events a receiver gets. */
const EVENTS = 5_000;
const WRITERS = 64;
const PATIENCE = 60_000;

/** Returns how many webhooks a second one receiver in this process gets, in the order of each subject. */
export async function measureWebhooks(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using service = await startService(workspace, 0, undefined, { PETSTORE_WEBHOOK_HOSTS: "127.0.0.1" });
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
    logProgress(`${Math.round(rate)} webhooks a second`);
    values.push(rate);
  }
  database.close();
  return { values };
}
