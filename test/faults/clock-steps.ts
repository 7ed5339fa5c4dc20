import { afterEach, describe, expect, test } from "bun:test";
import { TOTAL } from "../../src/domain/usage/counting.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { bearer, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { FalseClock, hasFalseClocks } from "../support/false-clock.ts";
import { Load } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { createKeyIn, createKeyOn, Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const HOUR = 3_600;
/** The clock after each step, in seconds ahead of the right time. */
const STEPS = [600, 0, -600, HOUR, -3 * HOUR, 5 * HOUR, 0];
const STEP_DURATION = 1_500;

let stack: AsyncDisposableStack;
afterEach(() => stack.disposeAsync());

async function startNode(clock: FalseClock, env: Record<string, string>): Promise<Node> {
  const node = new Node(await freePort(), { ...env, ...clock.env });
  await node.start();
  stack.defer(() => node.kill());
  return node;
}

describe.skipIf(!hasFalseClocks)("when the clock of the system is set", () => {
  test("back and forth by hours, one node with SQLite serves, counts and stores on", async () => {
    states(
      "docs/running.md",
      "If it is set back, windows that would end far in the future open again, and bans last longer; if it is set forward, windows and bans end early.",
    );
    states(
      "docs/reliability.md",
      "The clock of a node with SQLite is set by minutes and hours, 7 times, under load | No request fails, each is counted once, no window refuses for longer than its length, a repeated `Idempotency-Key` adds no second pet.",
    );
    states(
      "docs/running.md",
      "If it is set back, windows that would end far in the future open again",
      "No request fails, and each is counted once.",
    );
    stack = new AsyncDisposableStack();
    const store = sqliteIn(temporaryDirectory());
    stack.defer(() => store.remove());
    const clock = new FalseClock();
    const node = await startNode(clock, { DATABASE_URL: store.url });
    const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
    stack.defer(() => stores.close());
    const { secret } = await createKeyIn(stores.keys);
    const limits = { perMinute: 5, perDay: 1_000_000 };
    const limited = new Client({ url: node.url, headers: bearer((await createKeyIn(stores.keys, limits)).secret) });
    const client = new Client({ url: node.url, headers: bearer(secret) });
    const creation = () => client.post("/v1/pets", { name: "Once", categoryId: 1 }, { "Idempotency-Key": "once" });
    const once = await creation();
    await using load = new Load({ urls: [node.url], secret, workers: 8, creations: 50 });

    const requests = { succeeded: 1, limited: 0 };
    for (const offset of STEPS) {
      clock.set(offset);
      // A window that was open before the step is over, or would end too late: it never refuses for hours.
      const answers = [];
      for (let i = 0; i < 8; i++) answers.push((await limited.get("/v1/pets?limit=1")).status);
      expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      requests.succeeded += answers.filter((status) => status === 200).length + 1;
      requests.limited += answers.filter((status) => status === 429).length;
      await load.run(STEP_DURATION);
      expect((await creation()).text).toBe(once.text);
      expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
    }
    const outcomes = await load.stop();
    expect(await node.stop()).toBe(0);

    for (const { status } of outcomes) expect([200, 201]).toContain(status);
    const days = Array.from({ length: 3 }, (_, i) => Math.floor(Date.now() / 86_400_000 + i - 1) * 86_400_000);
    const usage = await stores.usage.usageOf(TOTAL, { day: days });
    const counted = usage.reduce((sum, { counts: [succeeded = 0] }) => sum + succeeded, 0);
    expect(counted).toBe(outcomes.length + requests.succeeded);
    expect(node.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    console.log(`${STEPS.length} steps of the clock: ${outcomes.length} requests, none failed, each counted once`);
  });

  test.skipIf(!hasRedis)(
    "by an hour, a node of several is not ready within a minute, and ready a minute after its correction",
    async () => {
      states(
        "docs/reliability.md",
        "The clock of one node of several is set by an hour | It is not ready within a minute, and ready within a minute of the correction.",
      );
      stack = new AsyncDisposableStack();
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
      stack.defer(() => postgres.remove());
      stack.defer(() => redis.remove());
      const clock = new FalseClock();
      const node = await startNode(clock, { DATABASE_URL: postgres.url, REDIS_URL: redis.url });
      const { secret } = await createKeyOn(postgres.url);
      await using load = new Load({ urls: [node.url], secret, workers: 2, creations: 50 });
      const readiness = async () => (await fetch(`${node.url}/readyz`)).status;
      const secondsUntilSaid = async (message: string): Promise<number> => {
        const began = performance.now();
        while (node.said(message) === 0) await load.run(200);
        return Math.round((performance.now() - began) / 1_000);
      };
      clock.set(HOUR);
      const noticed = await secondsUntilSaid("this node's clock is wrong");
      expect(await readiness()).toBe(503);
      clock.set(0);
      const corrected = await secondsUntilSaid("agrees with the servers' again");
      await eventually(async () => (await readiness()) === 200);
      const outcomes = await load.stop();
      expect(noticed).toBeLessThan(80);
      expect(corrected).toBeLessThan(80);
      // It answers meanwhile. On a busy machine some queries take longer than the second after which a request is 503.
      const failed = outcomes.filter(({ status }) => status !== 200 && status !== 201);
      expect(failed.length).toBeLessThan(outcomes.length / 20);
      expect(node.said("this node's clock is wrong")).toBe(1);
      expect(node.said("agrees with the servers' again")).toBe(1);
      console.log(`a clock was an hour fast: not ready after ${noticed} s, ready ${corrected} s after its correction`);
    },
  );
});
