import { expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { startPostgres } from "../support/postgres.ts";
import { type RunningService, startService } from "../support/service.ts";
import { storeOnPostgres } from "../support/store.ts";

type Item = { id: number };
type Event = { id: number; type: string; subject: string; version: number; data: Item };

/** What of a request fails while the service is killed is sent again by nobody: only its outcome counts. */
const unlessGone = <T>(request: Promise<T>): Promise<T | undefined> => request.catch(() => undefined);

/** A copy of all lists that goes on from its position with each call, also after one that failed. */
class Mirror {
  position = 0;
  readonly states = new Map<string, Item>();
  readonly versions = new Map<string, number>();

  /** Returns whether the feed ends at the position. */
  async follow(client: Client): Promise<boolean> {
    const answer = await unlessGone(client.get(`/v1/events?after=${this.position}&limit=100`, { Prefer: "wait=1" }));
    if (answer?.status !== 200) return false;
    for (const { id, type, subject, version, data } of answer.body as Event[]) {
      // Exactly one event for each version, in order, through each end of the service.
      expect([subject, version]).toEqual([subject, (this.versions.get(subject) ?? 0) + 1]);
      this.versions.set(subject, version);
      if (type.endsWith(".deleted")) this.states.delete(subject);
      else this.states.set(subject, data);
      this.position = id;
    }
    return answer.body.length === 0;
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

/** A store of several services, and how it or a service is killed and started again. */
type Crashing = { services: RunningService[]; crash: () => Promise<void>; crashes: number; between: number };

/** Follows the events beside mixed changes, with `between` events before each crash, and compares the copy with the store. */
async function mirrorThrough({ services, crash, crashes, between }: Crashing): Promise<void> {
  const [first = expect.unreachable()] = services;
  const { secret } = await first.createKey();
  const mirror = new Mirror();
  const acknowledged = new Set<string>();
  let isOver = false;
  const changing = async (service: RunningService) => {
    for (let i = 0; !isOver; i++) {
      const client = service.withSecret(secret);
      const pet = (await unlessGone(client.post("/v1/pets", { name: `Pet ${i}`, categoryId: i })))?.body;
      if (pet?.id === undefined) continue;
      acknowledged.add(`pets/${pet.id}`);
      if (i % 2 === 0) await unlessGone(client.request(`/v1/pets/${pet.id}`, patchOf({ name: `Changed ${i}` })));
      if (i % 3 === 0) await unlessGone(client.request(`/v1/pets/${pet.id}`, { method: "DELETE" }));
      const order = (await unlessGone(client.post("/v1/store/orders", { petId: pet.id })))?.body;
      if (order?.id === undefined) continue;
      acknowledged.add(`orders/${order.id}`);
      if (i % 5 === 0)
        await unlessGone(client.request(`/v1/store/orders/${order.id}`, patchOf({ status: "cancelled" })));
    }
  };
  // At each of them in turn.
  let turn = 0;
  const next = () => services[turn++ % services.length] ?? expect.unreachable();
  const following = async () => {
    while (!isOver) await mirror.follow(next().withSecret(secret));
  };
  const running = [changing(next()), changing(next()), changing(next()), following()];
  for (let i = 0; i < crashes; i++) {
    const { position } = mirror;
    await eventually(() => mirror.position > position + between);
    await crash();
  }
  isOver = true;
  await Promise.all(running);
  const client = first.withSecret(secret);
  await eventually(() => mirror.follow(client));
  await eventually(async () => (await client.get("/v1/store/orders")).status === 200);
  const contents = [
    ...(await listed(client, "/v1/pets", "pets")),
    ...(await listed(client, "/v1/store/orders", "orders")),
  ];
  expect(mirror.states).toEqual(new Map(contents));
  expect([...acknowledged].filter((subject) => !mirror.versions.has(subject))).toEqual([]);
}

test("a mirror that follows the events beside mixed changes is equal to the store, through kill -9 of the service", async () => {
  states("docs/events.md", "It is written in the transaction of the change,");
  states("docs/mirror.md", "at the end of the feed it has what the store has.");
  await using service = await startService();
  const crash = async () => {
    await service.kill();
    await service.start();
  };
  await mirrorThrough({ services: [service], crash, crashes: 3, between: 200 });
});

test("a mirror of two nodes is equal to the store, through kill -9 of PostgreSQL, and nothing acknowledged is lost", async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startPostgres(), (server) => server.remove());
  const store = storeOnPostgres({ url: postgres.url, drop: async () => {} });
  await using one = await startService({ store });
  await using other = await startService({ store });
  const crash = async () => {
    await postgres.kill();
    await postgres.start();
  };
  await mirrorThrough({ services: [one, other], crash, crashes: 2, between: 50 });
});

const patchOf = (patch: object) => ({
  method: "PATCH",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(patch),
});
