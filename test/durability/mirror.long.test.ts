import { expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

type Item = { id: number };
type Event = { id: number; type: string; subject: string; version: number; data: Item };

/** What of a request fails while the service is killed is sent again by nobody: only its outcome counts. */
const unlessGone = <T>(request: Promise<T>): Promise<T | undefined> => request.catch(() => undefined);

/** A copy of all lists that goes on from its position with each call, also after one that failed. */
class Mirror {
  position = 0;
  readonly states = new Map<string, Item>();
  readonly versions = new Map<string, number>();

  async follow(client: Client): Promise<void> {
    const answer = await unlessGone(client.get(`/v1/events?after=${this.position}&limit=100`, { Prefer: "wait=1" }));
    if (answer?.status !== 200) return;
    for (const { id, type, subject, version, data } of answer.body as Event[]) {
      // Exactly one event for each version, in order, through each end of the service.
      expect([subject, version]).toEqual([subject, (this.versions.get(subject) ?? 0) + 1]);
      this.versions.set(subject, version);
      if (type.endsWith(".deleted")) this.states.delete(subject);
      else this.states.set(subject, data);
      this.position = id;
    }
  }
}

async function listed(client: Client, path: string, collection: string): Promise<[string, Item][]> {
  const items: Item[] = [];
  for (let page: Item[] = []; items.length === 0 || page.length > 0; items.push(...page)) {
    page = (await client.get(`${path}?limit=100&after=${items.at(-1)?.id ?? 0}`)).body;
    if (page.length === 0) break;
  }
  return items.map((item) => [`${collection}/${item.id}`, item]);
}

test("a mirror that follows the events beside mixed changes is equal to the store, through kill -9 of the service", async () => {
  await using service = await startService();
  const { secret } = await service.createKey();
  const mirror = new Mirror();
  let isOver = false;
  const changing = async () => {
    for (let i = 0; !isOver; i++) {
      const client = service.withSecret(secret);
      const pet = (await unlessGone(client.post("/v1/pets", { name: `Pet ${i}`, categoryId: i })))?.body;
      if (pet?.id === undefined) continue;
      if (i % 2 === 0) await unlessGone(client.request(`/v1/pets/${pet.id}`, patchOf({ name: `Changed ${i}` })));
      if (i % 3 === 0) await unlessGone(client.request(`/v1/pets/${pet.id}`, { method: "DELETE" }));
      const order = (await unlessGone(client.post("/v1/store/orders", { petId: pet.id })))?.body;
      if (order?.id !== undefined && i % 5 === 0)
        await unlessGone(client.request(`/v1/store/orders/${order.id}`, patchOf({ status: "cancelled" })));
    }
  };
  const following = async () => {
    while (!isOver) await mirror.follow(service.withSecret(secret));
  };
  const running = [changing(), changing(), changing(), following()];
  for (let crash = 1; crash <= 3; crash++) {
    const { position } = mirror;
    await eventually(() => mirror.position > position + 200);
    await service.kill();
    await service.start();
  }
  isOver = true;
  await Promise.all(running);
  const client = service.withSecret(secret);
  const last = Number((await client.get("/v1/pets")).headers.get("Petstore-Position"));
  while (mirror.position < last) await mirror.follow(client);
  const contents = [
    ...(await listed(client, "/v1/pets", "pets")),
    ...(await listed(client, "/v1/store/orders", "orders")),
  ];
  expect(mirror.states).toEqual(new Map(contents));
}, 300_000);

const patchOf = (patch: object) => ({
  method: "PATCH",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(patch),
});
