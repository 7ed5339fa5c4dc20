import { expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import pino from "pino";
import { type BackgroundTask, Scheduler } from "../../src/wiring/background-tasks.ts";
import { eventuallyHolds } from "../support/holds.ts";

type Line = { level: number; task: string; msg: string; err?: { message: string }; failures?: number };

const WARN = 40;
const INFO = 30;

/** A scheduler with what it logs, and the outcomes that it records. */
function newScheduler() {
  const lines: Line[] = [];
  const recorded: { task: string; hasFailed: boolean }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const scheduler = new Scheduler(log, { record: (task, hasFailed) => void recorded.push({ task, hasFailed }) });
  return { scheduler, lines, recorded };
}

/** A run of a task: how long it takes, in ms, where it does not return at once, and whether it fails. */
const run = fc.record({ takes: fc.option(fc.nat({ max: 3 }), { nil: undefined }), fails: fc.boolean() });

/** A task of the given runs, and as many that succeed as are asked for after them. */
function taskOf(name: string, runs: { takes: number | undefined; fails: boolean }[]) {
  const seen = { runs: 0, atOnce: 0, mostAtOnce: 0, wasAborted: [] as boolean[] };
  const { promise: haveRun, resolve } = Promise.withResolvers<void>();
  const task: BackgroundTask = {
    name,
    every: 1,
    run: async ({ aborted }) => {
      const { takes, fails } = runs[seen.runs] ?? { takes: undefined, fails: false };
      seen.runs += 1;
      seen.wasAborted.push(aborted);
      seen.atOnce += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
      if (takes !== undefined) await sleep(takes);
      seen.atOnce -= 1;
      if (seen.runs >= runs.length) resolve();
      if (fails) throw new Error(`run ${seen.runs} failed`);
    },
  };
  return { task, seen, haveRun };
}

test("a task never overlaps itself, and runs once more while the scheduler stops, then never again", async () => {
  await eventuallyHolds(
    fc.asyncProperty(fc.array(run, { maxLength: 8 }), fc.array(run, { maxLength: 8 }), async (one, other) => {
      const { scheduler, recorded } = newScheduler();
      const tasks = [taskOf("one", one), taskOf("other", other)];
      scheduler.start(tasks.map(({ task }) => task));
      await Promise.all(tasks.map(({ haveRun }) => haveRun));
      await scheduler[Symbol.asyncDispose]();
      const runs = tasks.map(({ seen }) => seen.runs);
      await sleep(5);
      for (const [i, { task, seen }] of tasks.entries()) {
        expect(seen).toMatchObject({ runs: runs[i], atOnce: 0, mostAtOnce: 1 });
        expect(seen.wasAborted.indexOf(true)).toBe(seen.runs - 1);
        expect(recorded.filter((each) => each.task === task.name)).toHaveLength(seen.runs);
      }
    }),
    50,
  );
});

test("a pause that depends on the run is asked for after each run", async () => {
  const { scheduler } = newScheduler();
  const asked: string[] = [];
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const every = () => {
    asked.push("pause");
    if (asked.length === 6) resolve();
    return asked.length < 6 ? 0 : 60_000;
  };
  scheduler.start([{ name: "varying", every, run: () => void asked.push("run") }]);
  await isAsked;
  await scheduler[Symbol.asyncDispose]();
  expect(asked).toEqual(["run", "pause", "run", "pause", "run", "pause", "run"]);
});

test("of failures in a row the first is logged, and the recovery, once each; every run is recorded", async () => {
  await eventuallyHolds(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 10 }), async (runs) => {
      const { scheduler, lines, recorded } = newScheduler();
      const { task, haveRun } = taskOf("flaky", runs);
      scheduler.start([task]);
      await haveRun;
      await scheduler[Symbol.asyncDispose]();
      const outcomes = recorded.map(({ hasFailed }) => hasFailed);
      expect(outcomes.slice(0, runs.length)).toEqual(runs.map(({ fails }) => fails));
      const expected = outcomes.flatMap<Partial<Line>>((hasFailed, i) => {
        const hadFailed = i > 0 && outcomes[i - 1];
        if (hasFailed === hadFailed) return [];
        if (hasFailed) return [{ level: WARN, task: "flaky", err: { message: `run ${i + 1} failed` } }];
        return [{ level: INFO, task: "flaky", failures: i - 1 - outcomes.lastIndexOf(false, i - 1) }];
      });
      expect(lines).toHaveLength(expected.length);
      expect(lines).toMatchObject(expected);
    }),
    50,
  );
});

test("stopping waits for the run under way and cuts a pause short", async () => {
  const { scheduler } = newScheduler();
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  scheduler.start([
    { name: "slow", every: 3_600_000, run: () => finish.then(() => void ended++) },
    { name: "idle", every: 3_600_000, run: () => {} },
  ]);
  let hasStopped = false;
  const stopped = scheduler[Symbol.asyncDispose]().then(() => {
    hasStopped = true;
  });
  await sleep(20);
  expect({ hasStopped, ended }).toEqual({ hasStopped: false, ended: 0 });
  resolve();
  await stopped;
  expect(ended).toBe(2);
});

test("after a stall a task does not catch up", async () => {
  const { scheduler } = newScheduler();
  const startedAt: number[] = [];
  const every = 20;
  scheduler.start([{ name: "steady", every, run: () => void startedAt.push(performance.now()) }]);
  await sleep(every);
  const stalledUntil = performance.now() + 10 * every;
  while (performance.now() < stalledUntil);
  await sleep(5 * every);
  await scheduler[Symbol.asyncDispose]();
  const pauses = startedAt.slice(1, -1).map((at, i) => at - (startedAt[i] ?? 0));
  expect(pauses.length).toBeGreaterThan(1);
  // Timers may fire up to 1 ms early.
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(every - 1);
});

test("a scheduler that was never started stops without a run", async () => {
  const { scheduler, recorded } = newScheduler();
  await scheduler[Symbol.asyncDispose]();
  expect(recorded).toEqual([]);
});
