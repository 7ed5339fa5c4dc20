import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MemoryLimiter } from "../../../src/adapters/memory/limiter.ts";
import { mapFile } from "../../../src/adapters/socket/bun.ts";
import { KnownCounts, SharedCounts, SharingLimiter } from "../../../src/adapters/socket/shared-counts.ts";
import { idsOf } from "../../support/changed-states.ts";
import { states } from "../../support/markdown.ts";
import { commandFor } from "../../support/runtime.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const COUNT_UNTIL_REFUSED = fileURLToPath(new URL("count-until-refused.ts", import.meta.url));
const CELLS = 64;
const subject = { id: "key_1", limits: { perMinute: 5, perDay: 50 } };
const wide = { id: "key_1", limits: { perMinute: 1_000_000_000, perDay: 1_000_000_000 } };

let directory: string;
let file: string;
let now: number;
let parent: SharingLimiter;
let worker: KnownCounts;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, "counts");
  writeFileSync(file, new Uint8Array(4 * CELLS));
  now = 0;
  parent = new SharingLimiter(() => now, new MemoryLimiter(() => now), new SharedCounts(mapFile(file)));
  worker = new KnownCounts(() => now, new SharedCounts(mapFile(file)));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Lets the worker know the parent's count of a key. */
function share(id = "key_1"): void {
  const count = parent.sharedCountOf(id);
  if (count !== undefined) worker.add(id, count);
}

test("processes that count at the same time allow exactly the limit", async () => {
  states(
    "docs/development/stores.md",
    "Workers on one SQLite file count limits together, as one process would count them.",
    "If the request is allowed, one atomic operation counts it, provided that nothing else was counted since; otherwise the worker decides again.",
  );
  states("docs/running.md", "Without Redis, workers count allowed requests in memory that they share");
  const many = { id: "key_1", limits: { perMinute: 200_001, perDay: 1_000_000 } };
  parent.take(many);
  const input = JSON.stringify({ count: parent.sharedCountOf("key_1"), subject: many, now });
  const [program, ...args] = commandFor(COUNT_UNTIL_REFUSED, "bun");
  const counting = Array.from({ length: 3 }, () => promisify(execFile)(program, [...args, file, input]));
  const allowed = (await Promise.all(counting)).map(({ stdout }) => Number(stdout));
  expect(allowed.reduce((sum, each) => sum + each)).toBe(200_000);
  expect(parent.status(many).minute.used).toBe(200_001);
});

test("a request that another process counted shows in the next decision, status and write", () => {
  expect(parent.take(subject).shown.remaining).toBe(4);
  parent.drain();
  share();
  expect(worker.take(subject)?.shown.remaining).toBe(3);
  expect(parent.status(subject).minute.used).toBe(2);
  expect(parent.take(subject).shown.remaining).toBe(2);
  expect(worker.take(subject)?.shown.remaining).toBe(1);
  const changed = parent.drain();
  expect(idsOf(changed)).toEqual(["key_1"]);
  expect(changed.states.get("key_1")).toMatchObject({ minute: { count: 4 }, day: { count: 4 } });
  expect(parent.drain().places).toEqual([]);
});

test("a worker decides nothing but allowed requests in windows that are open, and knows what is counted", () => {
  states(
    "docs/running.md",
    "The parent decides the rest over a local socket: for each worker the first request of a key in a minute, and every one that is refused.",
  );
  parent.take(subject);
  share();
  for (let i = 0; i < 4; i++) {
    expect(worker.stateOf("key_1")).toMatchObject({ minute: { count: i + 1, resetAt: 60 }, day: { count: i + 1 } });
    expect(worker.take(subject)?.outcome).toBe("allowed");
  }
  expect(worker.take(subject)).toBeUndefined();
  expect(worker.stateOf("key_1")).toMatchObject({ minute: { count: 5, resetAt: 60 }, day: { count: 5 } });
  now = 60_000;
  expect(worker.take(subject)).toBeUndefined();
  parent.take(subject);
  expect(worker.stateOf("key_1")).toBeUndefined();
});

test("a refusal and a new window end the count in all processes", () => {
  states(
    "docs/development/stores.md",
    "What changes more than the counts (a new window, a refusal, a ban) is decided by the parent, over the socket. It ends the key's cell for all processes, decides on the whole limit state, and begins another cell if the request is allowed.",
  );
  parent.take(subject);
  share();
  for (let i = 0; i < 4; i++) parent.take(subject);
  expect(parent.take(subject).outcome).toBe("rate_limit_exceeded");
  const higher = { id: "key_1", limits: { perMinute: 10, perDay: 50 } };
  expect(worker.take(higher)).toBeUndefined();
  expect(parent.take(higher).shown.remaining).toBe(4);
  share();
  now = 60_000;
  expect(parent.take(higher)).toMatchObject({ outcome: "allowed", shown: { remaining: 9 } });
  now = 59_999;
  expect(worker.take(higher)).toBeUndefined();
});

test("sweep ends the counts of minutes that are over, and keeps what they counted for the day", () => {
  parent.take(subject);
  share();
  worker.take(subject);
  now = 59_999;
  parent.sweep();
  expect(parent.sharedCountOf("key_1")).toBeDefined();
  now = 60_000;
  parent.sweep();
  expect(parent.sharedCountOf("key_1")).toBeUndefined();
  expect(parent.status(subject)).toMatchObject({ minute: { used: 0 }, day: { used: 2 } });
});

test("counting goes on where a cell is full", () => {
  const cells = new Int32Array(mapFile(file).buffer);
  parent.take(wide);
  share();
  const { cell = 0 } = parent.sharedCountOf("key_1") ?? {};
  Atomics.add(cells, cell, 2 ** 20 - 2);
  expect(worker.take(wide)?.shown.remaining).toBe(1_000_000_000 - 2 ** 20);
  expect(worker.take(wide)).toBeUndefined();
  expect(parent.take(wide).shown.remaining).toBe(1_000_000_000 - 2 ** 20 - 1);
  expect(worker.take(wide)).toBeUndefined();
  share();
  expect(worker.take(wide)?.shown.remaining).toBe(1_000_000_000 - 2 ** 20 - 2);
});

test("a key without a free cell is counted in the parent, and another use of a cell is another count", () => {
  states("docs/development/stores.md", "so that a worker which knows the former use of a cell counts nothing there.");
  for (let i = 0; i < CELLS; i++) parent.take({ ...wide, id: `key_${i}` });
  share("key_0");
  expect(parent.take({ ...wide, id: "last" }).outcome).toBe("allowed");
  expect(parent.sharedCountOf("last")).toBeUndefined();
  now = 60_000;
  parent.sweep();
  for (let i = 1; i <= CELLS; i++) parent.take({ ...wide, id: `other_${i}` });
  expect(parent.sharedCountOf(`other_${CELLS}`)).toBeDefined();
  now = 59_999;
  expect(worker.take({ ...wide, id: "key_0" })).toBeUndefined();
});

test("a key that is refused has no count of its own, so a ban holds with higher limits too", () => {
  for (let i = 0; i < 5; i++) parent.take(subject);
  expect(parent.take(subject).outcome).toBe("rate_limit_exceeded");
  expect(parent.sharedCountOf("key_1")).toBeUndefined();
  now = 2_000;
  for (let i = 0; i < 100; i++) parent.take(subject);
  const higher = { id: "key_1", limits: { perMinute: 500, perDay: 5_000 } };
  for (const each of [subject, higher, higher]) {
    expect(parent.take(each).outcome).toBe("key_banned");
    expect(parent.sharedCountOf("key_1")).toBeUndefined();
  }
});
