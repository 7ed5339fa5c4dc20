import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lengthOf, TOTAL } from "../../src/domain/usage/counting.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { Load, type Outcome } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

/** Every acknowledged pet is stored once, as sent. */
async function expectNothingLost(nodes: Nodes, outcomes: Outcome[]): Promise<void> {
  const kept = await nodes.postgres.query("SELECT id, name FROM petstore.pets");
  const names = new Map(kept.map(({ id, name }) => [Number(id), name]));
  const acknowledged = outcomes.flatMap(({ pet }) => (pet === undefined ? [] : [pet]));
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const { id, name } of acknowledged) expect(names.get(id)).toBe(name);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  expect(new Set(names.values()).size).toBe(names.size);
}

/** Every response was counted once, also when a write of counts was interrupted with an unknown outcome. */
async function expectCountedOnce(nodes: Nodes, outcomes: Outcome[]): Promise<void> {
  const answered = (isIt: (status: number) => boolean) => outcomes.filter(({ status }) => isIt(status)).length;
  const expected = { succeeded: answered((status) => status < 300), failed: answered((status) => status === 503) };
  const sums = `SELECT sum(succeeded) AS succeeded, sum(failed) AS failed FROM petstore.usage
                WHERE who = '${TOTAL}' AND resolution = ${lengthOf.day}`;
  await eventually(async () => {
    const [stored] = await nodes.postgres.query(sums);
    return Number(stored?.succeeded) === expected.succeeded && Number(stored?.failed) === expected.failed;
  });
}

const between = (outcomes: Outcome[], from: number, to: number) =>
  outcomes.filter(({ began }) => began >= from && began < to);

/** Whether none of the last requests was refused. */
const isNormal = (outcomes: Outcome[]) =>
  outcomes.length > 50 && !outcomes.slice(-50).some(({ status }) => status === 503);

/** The duration of the slowest, in whole ms. */
const ms = (outcomes: Outcome[]) => Math.round(Math.max(...outcomes.map(({ took }) => took)));

describe.skipIf(!hasRedis)("when PostgreSQL", () => {
  let nodes: Nodes;
  let load: Load;
  beforeEach(async () => {
    nodes = await startNodes({ count: 2 });
    const { secret } = await nodes.createKey();
    load = new Load({
      urls: nodes.nodes.map(({ url }) => url),
      secret,
      workers: 16,
      creations: 50,
      pids: () => nodes.pids,
    });
    await load.run(500);
  });
  afterEach(() => nodes.remove());

  test("is killed, requests are 503 within a second; 2 s after it is back the service is back to normal, and nothing is lost", async () => {
    states(
      "docs/reliability.md",
      "If the server or the network failed, or a synchronous standby did not answer, a creation with 503 may still be added, because its response was under way.",
    );
    states(
      "docs/reliability.md",
      "The server is killed, for 2 s | 503 with `Retry-After` within 1 s, normal within 2 s of its return, nothing lost, nothing doubled.",
    );
    const killed = load.now();
    await nodes.postgres.kill();
    await load.run(1_500);
    await eventually(() => between(load.outcomes, killed + 100, Infinity).length > 50);
    const startedAgain = load.now();
    await nodes.postgres.start();
    const back = load.now();
    await load.run(3_000);
    await eventually(() => isNormal(load.outcomes));
    const outcomes = await load.stop();

    for (const { status } of outcomes) expect([200, 201, 503]).toContain(status);
    const meanwhile = between(outcomes, killed + 100, startedAgain);
    expect(meanwhile.length).toBeGreaterThan(0);
    for (const { status, took, headers } of meanwhile) {
      expect(status).toBe(503);
      expect(took).toBeLessThan(besideLoad(1_000));
      expect(headers.get("Retry-After")).toBe("1");
    }
    const lastRefused = Math.max(back, ...outcomes.filter(({ status }) => status === 503).map(({ began }) => began));
    console.log(
      `PostgreSQL killed: ${meanwhile.length} requests were 503, the slowest after ${ms(meanwhile)} ms; back to normal ${Math.round(lastRefused - back)} ms after it was`,
    );
    for (const { status } of between(outcomes, back + 2_000, Infinity)) expect(status).not.toBe(503);
    await expectNothingLost(nodes, outcomes);
    await expectCountedOnce(nodes, outcomes);
  });

  test("hangs for 8 s, every request is answered within 2.5 s, and nothing is lost", async () => {
    states("docs/reliability.md", "The server hangs for 8 s (SIGSTOP) | Every request is answered within 2.5 s.");
    nodes.postgres.freeze();
    const frozen = load.now();
    await load.run(8_000);
    const thawed = load.now();
    nodes.postgres.thaw();
    await load.run(3_000);
    await eventually(() => isNormal(load.outcomes));
    const outcomes = await load.stop();

    for (const { status, took } of outcomes) {
      expect([200, 201, 503]).toContain(status);
      expect(took).toBeLessThan(besideLoad(2_500));
    }
    const meanwhile = between(outcomes, frozen + 100, thawed - 2_500);
    const lastRefused = Math.max(thawed, ...outcomes.filter(({ status }) => status === 503).map(({ began }) => began));
    console.log(
      `PostgreSQL frozen for 8 s: the slowest answer came after ${ms(outcomes)} ms; back to normal ${Math.round(lastRefused - thawed)} ms after it went on`,
    );
    expect(meanwhile.length).toBeGreaterThan(0);
    for (const { status } of meanwhile) expect(status).toBe(503);
    for (const { status } of between(outcomes, thawed + 2_000, Infinity)) expect(status).not.toBe(503);
    await expectNothingLost(nodes, outcomes);
    await expectCountedOnce(nodes, outcomes);
  });
});
