import { expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import pino from "pino";
import { MemoryLimiter } from "../../src/adapters/memory/limiter.ts";
import { onLines, serveLimiter } from "../../src/adapters/socket/limiter.ts";
import { LimitStates } from "../../src/domain/limits/limit-states.ts";
import type { Subject } from "../../src/domain/limits/limits.ts";
import { openLimits, removeLimiterSocket, serveLimits } from "../../src/wiring/limits.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

type Line = { level: number; msg: string; nodes?: number; requests?: number };

/** The limits of a worker that asks at this socket, and its log. */
async function openAt(path: string) {
  const lines: Line[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const limits = await openLimits({
    redisUrl: undefined,
    limiterSocket: path,
    nodes: 1,
    counters: { load: async () => new LimitStates() },
    mapFile: undefined,
    clock: Date.now,
    log,
    instrumentations: [],
  });
  return { limits, lines };
}

const keys = ["key_1", "key_2"].map((id) => ({ id, limits: { perMinute: 60, perDay: 1_000 } }));

test("a worker whose parent is gone counts the limits of all keys alone, says so once, and hands over what it counted", async () => {
  states("docs/running.md", "Without Redis, workers count allowed requests in memory that they share");
  const directory = temporaryDirectory();
  const path = join(directory, "limits");
  const parent = new MemoryLimiter(Date.now);
  const first = await serveLimiter(parent, path);
  const { limits, lines } = await openAt(path);
  for (const key of keys) expect((await limits.take(key)).outcome).toBe("allowed");
  expect(lines).toEqual([]);

  await first[Symbol.asyncDispose]();
  for (const key of [...keys, ...keys]) expect((await limits.take(key)).outcome).toBe("allowed");
  expect(limits.fallbacks.isActive).toBe(true);
  const failed = { level: 50, nodes: 1, msg: "The parent process fails: this node counts limits alone" };
  expect(lines).toMatchObject([failed]);

  await using _second = await serveLimiter(parent, path);
  await eventually(async () => {
    for (const key of keys) await limits.take(key);
    return !limits.fallbacks.isActive;
  });
  expect(lines).toMatchObject([failed, { level: 30, msg: expect.stringContaining("The parent process works again") }]);
  limits.close();
  rmSync(directory, { recursive: true });
});

test("a parent that is lost again before it has what was counted alone gets all of it later", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "limits");
  const parent = new MemoryLimiter(Date.now);
  const first = await serveLimiter(parent, path);
  const { limits, lines } = await openAt(path);
  for (const key of keys) await limits.take(key);
  await first[Symbol.asyncDispose]();
  const counted = await Promise.all(
    keys.map(async (key) => {
      const decisions = await Promise.all(Array.from({ length: 10 }, () => limits.take(key)));
      return 1 + decisions.filter(({ outcome }) => outcome === "allowed").length;
    }),
  );

  // It answers what is asked, and ends with the first key that is handed over, however often that is tried.
  let tried = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    onLines(socket, (line) => {
      const calls: { name: string; subject: Subject }[] = JSON.parse(line);
      if (calls.some(({ name }) => name === "reconcile")) {
        tried += 1;
        socket.destroy();
      } else {
        socket.write(`${JSON.stringify(calls.map(({ subject }) => ({ result: parent.status(subject) })))}\n`);
      }
    });
  });
  rmSync(path, { force: true });
  await once(server.listen(path), "listening");
  await eventually(() => tried > 2);
  expect(limits.fallbacks.isActive).toBe(true);
  expect(lines.map(({ level }) => level)).toEqual([50]);
  await new Promise((resolve) => server.close(resolve));

  await using _second = await serveLimiter(parent, path);
  await eventually(() => !limits.fallbacks.isActive);
  expect(keys.map((key) => 1_000 - parent.status(key).day.remaining)).toEqual(counted);
  expect(Math.min(...counted)).toBeGreaterThan(1);
  limits.close();
  rmSync(directory, { recursive: true });
});

test("a parent whose memory cannot be shared says so, and its workers ask for each request; only their user may", async () => {
  states(
    "docs/monitoring.md",
    "`workers cannot share memory: they ask their parent for each request` | warn | With `--workers` and without Redis: `err` has the reason. Limits stay exact.",
  );
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const served = async (mapFile: Parameters<typeof serveLimits>[1]["mapFile"]) => {
    await using stack = new AsyncDisposableStack();
    const lines: Line[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const local = new MemoryLimiter(Date.now);
    const { limits, limiterSocket: path = "" } = await serveLimits(local, { mapFile, clock: Date.now, log }, stack);
    const files = readdirSync(dirname(path));
    const counts = files.filter((file) => file.endsWith(".counts")).map((file) => modeOf(join(dirname(path), file)));
    expect([modeOf(dirname(path)), ...counts]).toEqual([0o700, ...counts.map(() => 0o600)]);
    const { limits: worker } = await openAt(path);
    for (let i = 1; i <= 3; i++) await worker.take(keys[0] as Subject);
    const { used } = (await limits.sharedStatus(keys[0] as Subject)).minute;
    worker.close();
    await stack.disposeAsync();
    expect(existsSync(dirname(path))).toBe(false);
    return { lines, files: files.length, isShared: limits !== local, used };
  };
  expect(await served((path) => new Uint8Array(statSync(path).size))).toEqual({
    ...{ lines: [], files: 2, isShared: true, used: 3 },
  });
  expect(await served(undefined)).toEqual({ lines: [], files: 1, isShared: false, used: 3 });
  const failing = () => {
    throw new Error("no memory");
  };
  expect(await served(failing)).toEqual({
    ...{ files: 1, isShared: false, used: 3 },
    lines: [
      expect.objectContaining({
        level: 40,
        err: expect.objectContaining({ message: "no memory" }),
        msg: "workers cannot share memory: they ask their parent for each request",
      }),
    ],
  });
  // As workers do whose parent was killed.
  const directory = temporaryDirectory();
  await removeLimiterSocket(join(directory, "limits"));
  expect(existsSync(directory)).toBe(false);
});
