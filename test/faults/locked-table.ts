import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import pg from "pg";
import { besideLoad } from "../support/eventually.ts";
import { Load } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

const POOL = 10;
const COUNT = 3;

describe.skipIf(!hasRedis)("when somebody locks the table of pets", () => {
  let nodes: Nodes;
  let other: pg.Client;
  beforeEach(async () => {
    nodes = await startNodes({ count: COUNT, env: { PETSTORE_DATABASE_POOL: String(POOL) } });
    other = new pg.Client({ connectionString: nodes.postgres.url, application_name: "other" });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await nodes.remove();
  });

  const connections = async (): Promise<number> => {
    const { rows } = await other.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore'");
    return Number(rows[0].count);
  };
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).status === 200;

  test("nodes keep to their pools, answer 503, are not ready, and recover; what was 503 was not added", async () => {
    states("docs/upgrading.md", "Find it with `pg_blocking_pids`, and end it with `pg_terminate_backend`.");
    states(
      "docs/upgrading.md",
      "Everything gets 503 `canceling statement due to lock timeout` in the log | Another session has locked a table in PostgreSQL.",
      "The service recovers by itself.",
    );
    states(
      "docs/reliability.md",
      "Another session locks the table of pets, or one of those of keys, for 8 s | 503 within 2.5 s, `/readyz` is 503, no node opens more connections than `PETSTORE_DATABASE_POOL`, and no pet that was 503 is added.",
      "A creation that got 503 because of a lock or a slow statement was not added",
    );
    const { secret } = await nodes.createKey();
    await using load = new Load({
      urls: nodes.nodes.map(({ url }) => url),
      secret,
      workers: 60,
      creations: 50,
      pids: () => nodes.pids,
    });
    await load.run(1_000);
    await other.query("BEGIN; LOCK TABLE petstore.pets IN ACCESS EXCLUSIVE MODE");
    const locked = performance.now();
    let most = 0;
    while (performance.now() - locked < 8_000) {
      await load.run(250);
      most = Math.max(most, await connections());
    }
    const ready = await Promise.all(nodes.nodes.map(({ url }) => isReady(url)));
    await other.query("ROLLBACK");
    const released = load.now();
    await load.run(2_000);
    const outcomes = await load.stop();

    // Further connections for a moment: those of the test's own key administration.
    expect(most).toBeLessThanOrEqual(COUNT * POOL + 2);
    expect(ready).toEqual([false, false, false]);
    for (const { status, took } of outcomes) {
      expect([200, 201, 503]).toContain(status);
      expect(took).toBeLessThan(besideLoad(2_500));
    }
    const lastRefused = Math.max(
      released,
      ...outcomes.filter(({ status }) => status === 503).map(({ began }) => began),
    );
    expect(lastRefused - released).toBeLessThan(besideLoad(1_000));
    const [kept] = await other.query("SELECT count(*) FROM petstore.pets").then(({ rows }) => rows);
    expect(Number(kept.count)).toBe(outcomes.filter(({ status }) => status === 201).length);
    const refused = outcomes.filter(({ status }) => status === 503).length;
    console.log(
      `pets locked for 8 s: at most ${most} connections of ${COUNT} nodes with pools of ${POOL}, ${refused} requests were 503; back to normal ${Math.round(lastRefused - released)} ms after the lock`,
    );
    for (const { url } of nodes.nodes) expect(await isReady(url)).toBe(true);
  });
});
