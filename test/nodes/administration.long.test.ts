import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "../support/client.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

const LIMITS = { perMinute: 1_000, perDay: 10_000 };
/** The time limit of the largest page of keys, in ms, for the fastest attempt: other tests run on the same machine. */
const SOON = 250;

describe.skipIf(!hasRedis)("operators of two nodes", () => {
  let nodes: Nodes;
  let admins: Client[];
  beforeAll(async () => {
    nodes = await startNodes({ count: 2 });
    ({ clients: admins } = await nodes.withOperator());
  });
  afterAll(() => nodes.remove());

  const admin = (number: number): Client => {
    const client = admins[number];
    if (client === undefined) throw new Error(`there is no node ${number}`);
    return client;
  };
  /** A key with one request per minute that goes on after refusals is banned, after two seconds and a hundred more. */
  const untilBanned = (client: Client | undefined) =>
    eventually(async () => (await client?.spend(10))?.body.code === "key_banned");
  type Listed = { id: string; usage: { minute: { used: number }; day: { used: number } } | null };

  test("see at each node the exact usage of 200 keys at both, in one page, and soon", async () => {
    const keys = await Promise.all(Array.from({ length: 200 }, () => nodes.createKey(LIMITS)));
    const expected = new Map<string, number>();
    await Promise.all(
      keys.slice(0, 60).map(async ({ id, secret }, i) => {
        const clients = nodes.clients(secret);
        for (let made = 0; made <= i % 5; made++) await clients[made % 2]?.get("/v1/pets?limit=1");
        expected.set(id, (i % 5) + 1);
      }),
    );
    for (const number of [0, 1]) {
      const { body } = await admin(number).get("/admin/v1/keys?limit=200&search=test");
      expect(body.keys).toHaveLength(200);
      for (const { id, usage } of body.keys as Listed[]) {
        expect([usage?.minute.used, usage?.day.used]).toEqual([expected.get(id) ?? 0, expected.get(id) ?? 0]);
      }
    }
    const times: number[] = [];
    while (times.length < 5) {
      const asked = performance.now();
      await admin(0).get("/admin/v1/keys?limit=200");
      times.push(performance.now() - asked);
    }
    expect(Math.min(...times)).toBeLessThan(besideLoad(SOON));
  });

  test("find at each node the requests of the other", async () => {
    const { secret } = await nodes.createKey(LIMITS);
    const answers = await Promise.all(nodes.clients(secret).map((client) => client.get("/v1/pets")));
    for (const number of [0, 1]) {
      for (const { headers } of answers) {
        const path = `/admin/v1/requests/${headers.get("X-Request-Id")}`;
        await eventually(async () => (await admin(number).get(path)).status === 200);
      }
    }
  });

  test("stay signed in at every node, and after their revocation are refused by the next request at any", async () => {
    states("docs/administration.md", "Sessions survive a restart and are valid on every node.");
    const { id, token } = await nodes.withOperator();
    const anonymous = Client.ofOperator({ url: nodes.node(0).adminUrl, headers: {} });
    const { headers } = await anonymous.post("/admin/v1/session", { token });
    const [cookie = ""] = (headers.get("Set-Cookie") ?? "").split(";");
    const browsers = nodes.nodes.map(({ adminUrl }) =>
      Client.ofOperator({ url: adminUrl, headers: { Cookie: cookie } }),
    );
    for (const browser of browsers) expect((await browser.get("/admin/v1/session")).status).toBe(200);
    await admin(1).request(`/admin/v1/operators/${id}/revoke`, { method: "POST" });
    for (const browser of browsers) expect((await browser.get("/admin/v1/session")).status).toBe(401);
  });

  test("that change one key concurrently do not undo each other's changes", async () => {
    states("CHANGELOG.md", "a key has a `version` and an `ETag`, each change of one takes `If-Match`");
    const { id } = await nodes.createKey();
    const path = `/admin/v1/keys/${id}`;
    const headers = { "Content-Type": "application/json" };
    const changes = ["name", "again", "and again"].map((name, i) =>
      admin(i % 2).request(path, { method: "PATCH", headers, body: JSON.stringify({ name }) }),
    );
    const answers = await Promise.all([...changes, admin(1).request(`${path}/revoke`, { method: "POST" })]);
    // A change after the revocation is refused; one before it is not lost; the key stays revoked.
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect((await admin(0).get(path)).body.state).toBe("revoked");
    const { entries } = (await admin(0).get(`/admin/v1/audit?target=${id}`)).body;
    const succeeded = answers.filter(({ status }) => status === 200).length;
    expect(entries).toHaveLength(succeeded + 1);
  });

  test("may send invalid ids: an id that a database would refuse does not reach it", async () => {
    for (const path of ["keys/%00", "keys/%00/usage", "keys/a%00b", "keys/%F0%9F%98%80", "keys/%00?x=%00"]) {
      expect((await admin(0).get(`/admin/v1/${path}`)).body.code).toBe("key_not_found");
    }
    for (const path of ["keys/%00/revoke", "keys/%00/rotate", "operators/%00/revoke"]) {
      expect((await admin(0).request(`/admin/v1/${path}`, { method: "POST" })).status).toBe(404);
    }
    expect((await admin(0).get("/admin/v1/audit?target=%00")).body.code).toBe("invalid_parameter");
    expect((await admin(0).get("/admin/v1/keys?search=%00")).body.keys).toEqual([]);
  });

  test("change a key at a node, which applies the change to its own next request", async () => {
    const { id, secret } = await nodes.createKey();
    const [client] = nodes.clients(secret);
    const change = (body: object) =>
      admin(0).request(`/admin/v1/keys/${id}`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    for (let i = 0; i < 5; i++) {
      expect((await client?.get("/v1/pets"))?.status).toBe(200);
      expect((await change({ disabled: true })).body.state).toBe("disabled");
      expect((await client?.get("/v1/pets"))?.body.code).toBe("disabled_api_key");
      await change({ disabled: false });
    }
  });

  test("find and count at each node a key that another one banned", async () => {
    const { id, secret } = await nodes.createKey({ perMinute: 1, perDay: 1_000 });
    const [client] = nodes.clients(secret);
    await untilBanned(client);
    for (const number of [0, 1]) {
      await eventually(async () => (await admin(number).get("/admin/v1/keys?state=banned")).body.total === 1);
      const { body } = await admin(number).get("/admin/v1/keys?state=banned");
      expect(body.keys).toMatchObject([{ id, state: "banned" }]);
      expect((await admin(number).get("/admin/v1/overview")).body.keys.banned).toBe(1);
    }
    await admin(1).request(`/admin/v1/keys/${id}/unban`, { method: "POST" });
    expect((await admin(0).get("/admin/v1/keys?state=banned")).body.total).toBe(0);
  });

  test("find a banned key after a start, though only Redis has its ban", async () => {
    const { id, secret } = await nodes.createKey({ perMinute: 1, perDay: 1_000 });
    const [client] = nodes.clients(secret);
    await untilBanned(client);
    await eventually(async () => (await admin(1).get("/admin/v1/keys?state=banned")).body.total === 1);
    await nodes.postgres.query("UPDATE petstore.keys SET banned_until = NULL");
    expect((await admin(1).get("/admin/v1/keys?state=banned")).body.total).toBe(0);
    await nodes.node(0).stop();
    await nodes.node(0).start();
    ({ clients: admins } = await nodes.withOperator());
    await eventually(async () => (await admin(1).get("/admin/v1/keys?state=banned")).body.total === 1);
    expect((await admin(0).get("/admin/v1/keys?state=banned")).body.keys).toMatchObject([{ id, state: "banned" }]);
    await admin(1).request(`/admin/v1/keys/${id}/unban`, { method: "POST" });
  });

  test("see keys without their usage while Redis is away", async () => {
    states("docs/administration.md", "While Redis is away it is `null`.");
    await nodes.redis.kill();
    const { status, body } = await admin(0).get("/admin/v1/keys?limit=5");
    expect(status).toBe(200);
    expect(body.keys.map(({ usage }: Listed) => usage)).toEqual([null, null, null, null, null]);
    expect((await admin(0).get("/admin/v1/overview")).status).toBe(200);
    expect((await admin(0).get("/admin/v1/state")).body.redis).toEqual({
      configured: true,
      ok: false,
      latencyMs: null,
      eviction: null,
    });
    await nodes.redis.start();
  });
});
