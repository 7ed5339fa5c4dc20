import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { besideLoad, eventually } from "../support/eventually.ts";
import { Load } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { createKeyOn, Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { type Postgres, startPostgres, startStandby } from "../support/postgres.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis.ts";

describe.skipIf(!hasRedis)("with a synchronous standby", () => {
  let primary: Postgres;
  let standby: Postgres;
  let redis: RedisServer;
  let node: Node;
  beforeEach(async () => {
    primary = await startPostgres({ settings: { synchronous_standby_names: "*", synchronous_commit: "on" } });
    standby = await startStandby(primary);
    redis = await startRedis();
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    node = new Node(await freePort(), {
      DATABASE_URL: primary.url.replace(/127.0.0.1:\d+/, hosts),
      REDIS_URL: redis.url,
    });
    await node.start();
  });
  afterEach(async () => {
    await node.kill();
    await Promise.all([primary.remove(), standby.remove(), redis.remove()]);
  });

  test("the node uses it after its promotion: 503 meanwhile, and no acknowledged pet is lost or doubled", async () => {
    states("docs/reliability.md", "Failover to a synchronous standby | 503 meanwhile, nothing lost, nothing doubled.");
    states(
      "docs/running.md",
      "after a failover the nodes find the new primary by themselves",
      "An acknowledged pet survives a failover if the standby is synchronous",
    );
    const { secret } = await createKeyOn(primary.url);
    await using load = new Load({ urls: [node.url], secret, workers: 8, creations: 50, pids: () => node.pids });
    await load.run(1_000);
    const killed = load.now();
    await primary.kill();
    await load.run(1_000);
    await standby.query("SELECT pg_promote()");
    await standby.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await standby.query("SELECT pg_reload_conf()");
    const promoted = load.now();
    await load.run(4_000);
    const added = () => load.outcomes.filter(({ began, status }) => began > promoted && status === 201);
    await eventually(() => added().length > 50);
    const outcomes = await load.stop();

    const refused = outcomes.filter(({ began, status }) => began > killed && status === 503);
    const last = Math.max(promoted, ...refused.map(({ began }) => began));
    console.log(
      `PostgreSQL failover: ${refused.length} requests were 503; back to normal ${Math.round(last - promoted)} ms after the promotion`,
    );
    for (const { status, took } of outcomes) {
      expect([200, 201, 503]).toContain(status);
      expect(took).toBeLessThan(besideLoad(2_500));
    }
    for (const { began, status } of outcomes) if (began > promoted + 2_000) expect(status).not.toBe(503);
    expect(outcomes.filter(({ began, status }) => began > killed && status === 503).length).toBeGreaterThan(0);
    const kept = await standby.query("SELECT id, name FROM petstore.pets");
    const names = new Map(kept.map(({ id, name }) => [Number(id), name]));
    const acknowledged = outcomes.flatMap(({ pet }) => (pet === undefined ? [] : [pet]));
    for (const { id, name } of acknowledged) expect(names.get(id)).toBe(name);
    expect(new Set(names.values()).size).toBe(names.size);
  });
});
