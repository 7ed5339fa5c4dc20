import { expect, test } from "bun:test";
import { Redis } from "ioredis";
import pino from "pino";
import { LimitStates } from "../../src/domain/limits/limit-states.ts";
import { openLimits } from "../../src/wiring/limits.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { hasRedis, startRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

type Line = { msg: string; err?: { message: string } };

async function openWith(redisUrl: string) {
  const lines: Line[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const limits = await openLimits({
    redisUrl,
    limiterSocket: undefined,
    nodes: 1,
    counters: { load: async () => new LimitStates() },
    mapFile: undefined,
    clock: Date.now,
    log,
    instrumentations: [],
  });
  const refusals = () => lines.filter(({ msg }) => msg.startsWith("Redis refuses the credentials in REDIS_URL"));
  return { limits, refusals };
}

test.skipIf(!hasRedis)(
  "credentials that Redis no longer accepts are named in the log, once, until it does",
  async () => {
    states(
      "docs/monitoring.md",
      "`Redis refuses the credentials in REDIS_URL: set those that it accepts, and restart` | error | `err` is its answer: `WRONGPASS`,",
    );
    states("docs/monitoring.md", "Logged once, until Redis accepts them.");
    const server = await startRedis(["--requirepass", "one"]);
    const operator = new Redis(`redis://:one@127.0.0.1:${server.port}`);
    const { limits, refusals } = await openWith(`redis://:one@127.0.0.1:${server.port}`);
    const subject = { id: "key_1", limits: { perMinute: 60, perDay: 1000 } };
    const rotate = async (password: string) => {
      await operator.config("SET", "requirepass", password);
      await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    };
    await limits.take(subject);
    expect(refusals()).toEqual([]);
    for (const times of [1, 2]) {
      await rotate("two");
      await eventually(async () => {
        await limits.take(subject);
        return refusals().length === times;
      });
      expect(refusals().at(-1)?.err?.message).toContain("WRONGPASS");
      await rotate("one");
      await eventually(async () => {
        await limits.take(subject);
        return !limits.fallbacks.isActive;
      });
    }
    limits.close();
    operator.disconnect();
    await server.remove();
  },
);

test.skipIf(!hasRedis)("a password that Redis asks for is named in the log", async () => {
  states("docs/monitoring.md", "`NOAUTH` without a password");
  const server = await startRedis(["--requirepass", "one"]);
  const { limits, refusals } = await openWith(server.url);
  await eventually(() => refusals().length === 1);
  expect(refusals()[0]?.err?.message).toContain("NOAUTH");
  limits.close();
  await server.remove();
});
