import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Client } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";
import { type RunningService, startService } from "../support/service.ts";

const BUYERS = 64;
const ROUNDS = 200;
const WRITERS = 32;
const CHANGES_EACH = 5;

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe("one node on SQLite", () => {
  let service: RunningService;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ store: "sqlite" });
    client = await service.withKey();
  });
  afterAll(() => service.remove());

  testContention(() => [client]);
});

describe.skipIf(!hasRedis)("three nodes on PostgreSQL", () => {
  let nodes: Nodes;
  let clients: Client[];
  beforeAll(async () => {
    nodes = await startNodes({ count: 3 });
    clients = nodes.clients((await nodes.createKey()).secret);
    // Opens the connections of the pools: on a busy machine that takes longer than a request may wait.
    const orders = Array.from({ length: BUYERS }, (_, i) => clients[i % 3]?.post("/v1/store/orders", { petId: 0 }));
    await Promise.all(orders);
  });
  afterAll(() => nodes.remove());

  testContention(() => clients);
});

/** The tests of requests that want the same pet at once. `all` returns a client per node. */
function testContention(all: () => Client[]): void {
  const clientOf = (number: number): Client => {
    const client = all()[number % all().length];
    if (client === undefined) throw new Error("there is no client");
    return client;
  };
  const patch = (client: Client, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    client.request(path, {
      method: "PATCH",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  test(`of ${BUYERS} clients that order a pet at once, exactly one gets it, ${ROUNDS} times`, async () => {
    states(
      "docs/reliability.md",
      "exactly one gets it: 200 times out of 200, on one node with SQLite and on three with PostgreSQL.",
    );
    const { body: pet } = await clientOf(0).post("/v1/pets", { name: "Rex", categoryId: 1 });
    const orders = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        Array.from({ length: BUYERS }, (_, i) => clientOf(i).post("/v1/store/orders", { petId: pet.id })),
      );
      const outcomes = Map.groupBy(answers, ({ status, body }) => (status === 201 ? "placed" : String(body.code)));
      const counts = Object.fromEntries([...outcomes].map(([outcome, all]) => [outcome, all.length]));
      expect(counts).toEqual({ placed: 1, pet_not_available: BUYERS - 1 });
      const order = outcomes.get("placed")?.[0]?.body.id;
      const cancelled = await patch(clientOf(round), `/v1/store/orders/${order}`, { status: "cancelled" });
      expect(cancelled).toMatchObject({ status: 200, body: { petId: pet.id, status: "cancelled" } });
      orders.add(order);
    }
    expect(orders.size).toBe(ROUNDS);
    expect((await clientOf(0).get(`/v1/pets/${pet.id}`)).headers.get("ETag")).toBe(`"v${1 + 2 * ROUNDS}"`);
  });

  test(`no change of ${WRITERS} clients with If-Match is lost, and each has its own version`, async () => {
    states("docs/reliability.md", "Of 32 clients that change a pet with `If-Match`, none overwrites another's change.");
    const { body: pet } = await clientOf(0).post("/v1/pets", { name: "0", categoryId: 1 });
    const path = `/v1/pets/${pet.id}`;
    const versions: (string | null)[] = [];
    /** Counts up in the pet's name, as often as it takes. */
    const countUp = async (client: Client): Promise<void> => {
      const { body, headers } = await client.get(path);
      const name = String(Number(body.name) + 1);
      const answer = await patch(client, path, { name }, { "If-Match": headers.get("ETag") ?? "" });
      if (answer.status === 412) return countUp(client);
      expect(answer).toMatchObject({ status: 200, body: { name } });
      versions.push(answer.headers.get("ETag"));
    };
    const write = async (client: Client) => {
      for (let i = 0; i < CHANGES_EACH; i++) await countUp(client);
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(clientOf(i))));
    const changes = WRITERS * CHANGES_EACH;
    expect(versions.toSorted()).toEqual(Array.from({ length: changes }, (_, i) => `"v${i + 2}"`).toSorted());
    const last = await clientOf(0).get(path);
    expect(last.body.name).toBe(String(changes));
    expect(last.headers.get("ETag")).toBe(`"v${changes + 1}"`);
  });
}
