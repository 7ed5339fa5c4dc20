import { expect, test } from "bun:test";
import { Cluster } from "ioredis";
import { connectionTo } from "../../../src/adapters/redis/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { hasRedis, startRedis } from "../../support/redis.ts";

const CREDENTIALS = { username: "ada", password: "s3cr@t:/" };
const ENCODED = "ada:s3cr%40t%3A%2F@";

/** What a connection would be made to, by the parts of its URL. */
function partsOf(url: string) {
  const connection = connectionTo(url);
  connection.disconnect();
  if (connection instanceof Cluster) {
    const { username, password, tls } = connection.options.redisOptions ?? {};
    const nodes = Reflect.get(connection, "startupNodes");
    return { nodes, name: undefined, username, password, hasTls: tls !== undefined };
  }
  const { host, port, sentinels, name, username, password, tls } = connection.options;
  return {
    nodes: sentinels ?? [{ host, port }],
    name: name ?? undefined,
    username,
    password,
    hasTls: tls !== undefined,
  };
}

const at = (...ports: number[]) =>
  ["a.example", "::1"].slice(0, ports.length).map((host, i) => ({ host, port: ports[i] }));

test.each([
  ["redis://", "a.example", at(6379), undefined],
  ["redis+cluster://", "a.example,[::1]", at(6379, 6379), undefined],
  ["redis+cluster://", "a.example:7001,[::1]:7002", at(7001, 7002), undefined],
  ["redis+sentinel://", "a.example,[::1]/pets", at(26_379, 26_379), "pets"],
  ["redis+sentinel://", "a.example:7001,[::1]:7002/pets", at(7001, 7002), "pets"],
])("%s%s has its servers, with their default ports, and the credentials as they are", (scheme, rest, nodes, name) => {
  const expected = { nodes: nodes.map((node) => expect.objectContaining(node)), name };
  const nobody = { username: undefined, password: undefined };
  for (const hasTls of [false, true]) {
    const kind = hasTls ? scheme.replace("redis", "rediss") : scheme;
    expect(partsOf(kind + ENCODED + rest)).toMatchObject({ ...expected, ...CREDENTIALS, hasTls });
    const without = partsOf(kind + rest);
    expect(without).toMatchObject({ ...expected, hasTls });
    expect([without.username ?? undefined, without.password ?? undefined]).toEqual(Object.values(nobody));
  }
});

test.skipIf(!hasRedis)("a connection whose server became a replica is made again, to find the primary", async () => {
  const server = await startRedis();
  const connection = connectionTo(server.url);
  connection.on("error", () => {});
  let connected = 0;
  connection.on("ready", () => {
    connected += 1;
  });
  try {
    await connection.connect();
    await server.call("REPLICAOF", "127.0.0.1", "1");
    await expect(connection.set("pet", "Rex")).rejects.toThrow("READONLY");
    await eventually(() => connected > 1);
    await server.call("REPLICAOF", "NO", "ONE");
    await eventually(async () => (await connection.set("pet", "Rex").catch(() => undefined)) === "OK");
  } finally {
    connection.disconnect();
    await server.remove();
  }
});
