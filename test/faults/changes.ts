import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AcknowledgedChanges } from "../durability/acknowledged-changes.ts";
import { violations } from "../durability/invariants.ts";
import { MixedLoad } from "../support/mixed-load.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

const ROUNDS = 3;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(!hasRedis)("while pets are changed and ordered at three nodes", () => {
  let nodes: Nodes;
  beforeEach(async () => {
    nodes = await startNodes({ count: 3 });
  });
  afterEach(() => nodes.remove());

  test("PostgreSQL and a node are killed three times: no acknowledged change is lost, and all pets, orders and counts agree", async () => {
    const { secret } = await nodes.createKey();
    const urls = nodes.nodes.map(({ url }) => url);
    const acknowledged = new AcknowledgedChanges();
    const load = new MixedLoad({ secret, record: (entry) => acknowledged.record(entry) });
    for (let round = 0; round < ROUNDS; round++) {
      let isOver = false;
      const running = load.run(urls, () => isOver);
      for (const server of [nodes.node(round), nodes.postgres]) {
        await pause(1_000);
        await server.kill();
        await pause(300);
        await server.start();
      }
      await pause(1_000);
      isOver = true;
      await running;
      for (const url of urls) {
        expect(await acknowledged.lost(url, secret)).toEqual([]);
        expect(await violations(url, secret)).toEqual([]);
      }
    }
    console.log(`Changes and orders under kills: ${acknowledged.count} changes acknowledged, none lost`);
    for (const status of load.statuses.keys()) expect([200, 201, 204, 404, 409, 412, 503]).toContain(status);
    expect(acknowledged.count).toBeGreaterThan(0);
  });
});
