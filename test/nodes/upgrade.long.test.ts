import { afterEach, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { Workplace } from "../commands/petstore.ts";
import { bearer, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { createKeyOn, Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { createDatabase } from "../support/shared-postgres.ts";

/** The `petstore` command of a later version, whose migration widens every table and adds an index. */
const NEXT = fileURLToPath(new URL("../support/next-version.ts", import.meta.url));
const NEWER = "a newer petstore wrote the database, which this version may still use";

const started: { remove(): unknown }[] = [];
afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.remove();
});

async function start(env: Record<string, string>, program = MAIN): Promise<Node> {
  const node = new Node(await freePort(), env, program);
  started.push({ remove: () => node.kill() });
  await node.start();
  return node;
}

/** Clients of a node, one after the other of whose requests is answered, until `stop`. */
class Traffic {
  readonly #client: Client;
  readonly #clients: Promise<void>[];
  readonly #statuses: number[] = [];
  #isOver = false;

  constructor({ url }: Node, secret: string) {
    this.#client = new Client({ url, headers: bearer(secret) });
    this.#clients = [1, 2].map((categoryId) => this.#work(categoryId));
    started.push({ remove: () => this.stop() });
  }

  get answered(): number {
    return this.#statuses.length;
  }

  /** The statuses of all requests, each once. */
  async stop(): Promise<number[]> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    return [...new Set(this.#statuses)].sort();
  }

  async #work(categoryId: number): Promise<void> {
    while (!this.#isOver) {
      const { id } = await this.#send("POST", "/v1/pets", { name: "Rex", categoryId });
      await this.#send("PATCH", `/v1/pets/${id}`, { name: "Max" });
      const { id: order } = await this.#send("POST", "/v1/store/orders", { petId: id });
      await this.#send("GET", `/v1/store/orders?petId=${id}`);
      await this.#send("PATCH", `/v1/store/orders/${order}`, { status: "cancelled" });
      await this.#send("GET", `/v1/pets?categoryId=${categoryId}&limit=5`);
      await this.#send("DELETE", `/v1/pets/${id}`);
    }
  }

  async #send(method: string, path: string, body?: object) {
    const headers = { "Content-Type": "application/json" };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await this.#client.request(path, request).catch(() => undefined);
    this.#statuses.push(answer?.status ?? 0);
    return answer?.body ?? {};
  }
}

test("old nodes work beside a new one and its migration, and start again", async () => {
  states(
    "CHANGELOG.md",
    "After an upgrade that only adds to the schema, nodes of the previous version start, which their log says, and its commands work.",
  );
  states(
    "docs/upgrading.md",
    "Nodes on PostgreSQL can be replaced one after the other. While the new version changes the schema, the others go on",
  );
  const database = await createDatabase();
  started.push({ remove: () => database.drop() });
  const env = { DATABASE_URL: database.url };
  const [old, other] = [await start(env), await start(env)];
  const { secret } = await createKeyOn(database.url);
  const traffic = [new Traffic(old, secret)];
  const until = (requests: number) => eventually(() => traffic.every(({ answered }) => answered > requests));
  await until(10);
  traffic.push(new Traffic(await start(env, NEXT), secret));
  await until(20);

  expect(await other.stop()).toBe(0);
  expect(other.said(NEWER)).toBe(0);
  await other.start();
  expect(other.said(NEWER)).toBe(1);
  traffic.push(new Traffic(other, secret));
  await until(20);

  const workplace = new Workplace({ store: { ...new Workplace().store, url: database.url } });
  await createAndRevoke(workplace, other);
  for (const one of traffic) expect(await one.stop()).toEqual([200, 201, 204]);
});

test("on SQLite the old command line works beside a new service, and the old version starts again", async () => {
  states(
    "docs/upgrading.md",
    "Other upgrades are named in the changelog: stop all nodes for them.",
    "to downgrade, restore the backup.",
  );
  states(
    "docs/upgrading.md",
    "If an upgrade only adds to the schema, the previous version works on it too: you can start it again, go back to it, and use its commands, such as `keys revoke`. Its log then has the line `a newer petstore wrote the database, which this version may still use`.",
  );
  const workplace = new Workplace();
  started.push(workplace);
  const env = { DATABASE_URL: workplace.store.url };
  expect(await (await start(env)).stop()).toBe(0);
  const service = await start(env, NEXT);
  await createAndRevoke(workplace, service);
  expect((await workplace.json("database", "check")).intact).toBe(true);
  expect((await workplace.json("database", "migrate")).to).toBeGreaterThan(28);
  expect((await workplace.run(["keys", "list"], { version: commandFor(NEXT) })).code).toBe(0);
  expect(await service.stop()).toBe(0);

  const old = await start(env);
  expect(old.said(NEWER)).toBe(1);
  const { key } = await workplace.json("keys", "create", "--name", "App", "--plan", "business");
  const traffic = new Traffic(old, key);
  await eventually(() => traffic.answered > 20);
  expect(await traffic.stop()).toEqual([200, 201, 204]);
  expect(await old.stop()).toBe(0);
});

/** Creates a key with the old command line, uses it, and revokes it. */
async function createAndRevoke(workplace: Workplace, { url }: Node): Promise<void> {
  const key = await workplace.json("keys", "create", "--name", "Lost", "--plan", "free");
  const client = new Client({ url, headers: bearer(key.key) });
  const status = async () => (await client.get("/v1/pets")).status;
  expect(await status()).toBe(200);
  await workplace.json("keys", "revoke", key.id);
  await eventually(async () => (await status()) === 401);
}
