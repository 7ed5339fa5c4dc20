import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { hasRedis, type RedisServer, startRedis, startSentinel } from "../support/redis.ts";
import { sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("a node whose Sentinels are away", () => {
  test("starts, counts limits alone, and counts with Redis when one comes", async () => {
    states(
      "docs/running.md",
      "A node also starts while Redis, or each Sentinel, is away: after two seconds it counts alone.",
    );
    states("docs/running.md", "A node also starts while Redis, or each Sentinel, is away");
    const directory = temporaryDirectory();
    const port = await freePort();
    const env = { DATABASE_URL: sqliteIn(directory).url, REDIS_URL: `redis+sentinel://127.0.0.1:${port}/pets` };
    const node = new Node(await freePort(), env);
    const servers: RedisServer[] = [];
    try {
      await node.start();
      expect(node.said("Redis fails: this node counts limits alone")).toBe(1);
      servers.push(await startRedis());
      servers.push(await startSentinel(port, servers[0] as RedisServer));
      await eventually(() => node.said("Redis works again") === 1);
    } finally {
      await node.kill();
      await Promise.all(servers.map((server) => server.remove()));
      rmSync(directory, { recursive: true });
    }
  });
});
