import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { BackupDirectory, diskOf } from "../../src/adapters/backups/directory.ts";
import { Metrics } from "../../src/adapters/prometheus/metrics.ts";
import { leastFree } from "../../src/domain/alerts.ts";
import { backupName } from "../../src/domain/backups.ts";
import { BackupRuns, Backups, type RunCommand } from "../../src/wiring/backups/backups.ts";
import type { BackupTarget } from "../../src/wiring/backups/make-backup.ts";
import { states } from "../support/markdown.ts";
import { ReadMetrics } from "../support/metrics.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const NOW = Date.UTC(2026, 11, 2);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let path: string;
let target: BackupTarget;
beforeEach(() => {
  path = temporaryDirectory();
  target = {
    backups: { directory: join(path, "backups"), every: HOUR, keep: 7, s3: undefined },
    database: { engine: "sqlite", path: join(path, "petstore.db") },
    deployment: "production",
  };
});
afterEach(() => rmSync(path, { recursive: true }));

describe("a run", () => {
  const log = pino({ enabled: false });
  const partsWith = (run: RunCommand) => ({
    ...{ deployment: "production" as const, database: target.database.path },
    ...{ run, clock: () => NOW, log },
  });
  const fails: RunCommand = () => Promise.reject(new Error("the disk is full"));
  const runsWith = (run: RunCommand) => {
    const directory = new BackupDirectory(target.backups.directory, "production");
    return new BackupRuns(partsWith(run), Promise.resolve({ directory, s3: undefined }));
  };

  test("that fails leaves nothing of its backup", async () => {
    mkdirSync(target.backups.directory);
    writeFileSync(join(target.backups.directory, `${backupName("production", NOW)}.unfinished-1`), "");
    await using runs = runsWith(fails);
    expect(await runs.make("operator").ended).toBeUndefined();
    expect([runs.failures, runs.failure?.reason]).toEqual([1, "the disk is full"]);
    expect(readdirSync(target.backups.directory)).toEqual([]);
  });

  test("that verifies a backup does not make up for a backup that failed", async () => {
    await using runs = runsWith(([, kind = ""], signal) =>
      kind === "backup" ? fails([], signal) : Promise.resolve({ problem: null }),
    );
    await runs.make("operator").ended;
    runs.beginVerification("directory", "any");
    await runs[Symbol.asyncDispose]();
    expect(runs.failure?.kind).toBe("backup");
  });

  test("that makes a backup makes up for one that failed, to the alert and to the console", async () => {
    const made = { name: "any", at: NOW, isNew: true, bytes: 3, places: ["directory"] };
    const outcomes = [fails, () => Promise.resolve(made), fails];
    await using runs = runsWith((args, signal) => (outcomes.shift() ?? fails)(args, signal));
    const known = () => [runs.isFailing, runs.failure?.kind, runs.failures, runs.latest];
    expect(known()).toEqual([undefined, undefined, 0, undefined]);
    expect(await runs.make("schedule").ended).toBeUndefined();
    expect(known()).toEqual([true, "backup", 1, undefined]);
    expect(await runs.make("schedule").ended).toBe(NOW);
    expect(known()).toEqual([false, undefined, 1, { at: NOW, bytes: 3 }]);
    await runs.make("schedule").ended;
    expect(known()).toEqual([true, "backup", 2, { at: NOW, bytes: 3 }]);
  });

  test.each([null, "It is damaged."])("that verifies a backup logs what it found: %p", async (problem) => {
    const lines: string[] = [];
    const directory = new BackupDirectory(target.backups.directory, "production");
    const asked: string[][] = [];
    const run: RunCommand = (args) => {
      asked.push(args);
      return Promise.resolve({ problem });
    };
    const options = {
      ...partsWith(run),
      log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
    };
    await using runs = new BackupRuns(options, Promise.resolve({ directory, s3: undefined }));
    runs.beginVerification("s3", "any.db");
    expect(runs.job).toEqual({ kind: "verification", name: "any.db", place: "s3", startedAt: NOW });
    await runs[Symbol.asyncDispose]();
    expect(asked).toEqual([["database", "backups", "verify", "any.db", "--json", "--s3"]]);
    expect([runs.failures, runs.job]).toEqual([0, undefined]);
    const logged = lines.map((line) => JSON.parse(line));
    const damaged = { level: 50, name: "any.db", place: "s3", problem, msg: "a backup is damaged" };
    expect(logged).toMatchObject(problem === null ? [] : [damaged]);
  });

  test("that finds a backup intact again knows no damage of it any more, and still that of others", async () => {
    const problems: (string | null)[] = ["It is damaged.", "It is damaged.", null];
    await using runs = runsWith(() => Promise.resolve({ problem: problems.shift() }));
    for (const name of ["one.db", "other.db"]) await runs.beginVerification("directory", name).ended;
    expect([...runs.damaged]).toEqual(["one.db", "other.db"]);
    await runs.beginVerification("directory", "one.db").ended;
    expect([...runs.damaged]).toEqual(["other.db"]);
  });

  test("a damaged copy is known until it is found intact itself, also if the other place has an intact one", async () => {
    const problems = ["It is damaged.", null, "It is damaged.", null, null];
    await using runs = runsWith(() => Promise.resolve({ problem: problems.shift() }));
    const known: string[][] = [];
    for (const place of ["s3", "directory", "directory", "s3", "directory"] as const) {
      await runs.beginVerification(place, "one.db").ended;
      known.push([...runs.damaged]);
    }
    expect(known).toEqual([["one.db"], ["one.db"], ["one.db"], ["one.db"], []]);
  });

  test("a deleted backup is not known as damaged any more, and others still are", async () => {
    const names = [1, 2].map((hour) => backupName("production", NOW - hour * HOUR));
    mkdirSync(target.backups.directory);
    for (const name of names) writeFileSync(join(target.backups.directory, name), "");
    const options = partsWith(() => Promise.resolve({ problem: "It is damaged." }));
    await using backups = new Backups(target.backups, options);
    for (const name of names) await backups.beginVerification("directory", name).ended;
    expect([...backups.damaged]).toEqual(names);
    await backups.remove("directory", String(names[0]), async () => {});
    expect([...backups.damaged]).toEqual(names.slice(1));
    expect(readdirSync(target.backups.directory)).toEqual(names.slice(1));
  });

  test("that the end of the service ends is no failure", async () => {
    const runs = runsWith((_, signal) => new Promise((_, reject) => signal.addEventListener("abort", reject)));
    const { ended } = runs.make("schedule");
    await runs[Symbol.asyncDispose]();
    expect(await ended).toBeUndefined();
    expect([runs.failures, runs.failure]).toEqual([0, undefined]);
  });

  test("of the schedule is ended by a stop, which does not wait for it", async () => {
    let begun: AbortSignal | undefined;
    const options = partsWith((_, signal) => {
      begun = signal;
      return new Promise((_, reject) => signal.addEventListener("abort", reject));
    });
    await using backups = new Backups(target.backups, options);
    const stopping = new AbortController();
    const running = backups.tasks.map(({ run }) => run(stopping.signal));
    expect([begun?.aborted, backups.job?.kind]).toEqual([false, "backup"]);
    stopping.abort();
    expect(begun?.aborted).toBe(true);
    await Promise.all(running);
    expect([backups.job, backups.failures]).toEqual([undefined, 0]);
  });

  test("of the schedule that failed is repeated after five minutes", async () => {
    let attempts = 0;
    const countedFailure: RunCommand = (args, signal) => {
      attempts += 1;
      return fails(args, signal);
    };
    await using backups = new Backups(target.backups, partsWith(countedFailure));
    expect(backups.nextAt).toBe(NOW);
    // Not before: the task compares the schedule with the clock each second.
    for (const { run } of [...backups.tasks, ...backups.tasks]) await run(new AbortController().signal);
    expect(attempts).toBe(1);
    expect(backups.nextAt).toBeWithin(NOW + 4 * MINUTE, NOW + 5 * MINUTE + 1);
  });

  test.each([
    [10 * MINUTE, 5 * MINUTE],
    [5 * MINUTE, 5 * MINUTE],
    [2 * MINUTE, 2 * MINUTE],
  ])("that failed is repeated by a schedule of every %i ms after %i ms", async (every, after) => {
    states("docs/backups.md", "is tried again after 5 minutes, or after the interval if that is shorter.");
    await using backups = new Backups({ ...target.backups, every }, partsWith(fails));
    for (const { run } of backups.tasks) await run(new AbortController().signal);
    expect(backups.nextAt).toBeWithin(NOW + after - MINUTE, NOW + after + 1);
  });

  test("keeps every backup from being deleted, and every other run from beginning", async () => {
    const name = backupName("production", NOW - HOUR);
    mkdirSync(target.backups.directory);
    writeFileSync(join(target.backups.directory, name), "");
    await using backups = new Backups(
      target.backups,
      partsWith((_, signal) => new Promise((_, reject) => signal.addEventListener("abort", reject))),
    );
    let recorded = 0;
    const record = async () => void recorded++;
    await backups.start(record);
    const underWay = { code: "invalid_state", message: "A backup is under way." };
    await expect(backups.start(record)).rejects.toMatchObject(underWay);
    for (const refused of ["remove", "verify", "restore"] as const)
      await expect(backups[refused]("directory", name, record)).rejects.toMatchObject(underWay);
    expect(recorded).toBe(1);
    expect(readdirSync(target.backups.directory)).toEqual([name]);
  });

  test("does not begin to write a file of which the disk would be nearly full", async () => {
    const name = backupName("production", NOW);
    mkdirSync(target.backups.directory);
    const disk = await diskOf(path);
    if (disk === undefined) throw new Error("the disk cannot be read");
    const ran: string[][] = [];
    await using backups = new Backups(
      target.backups,
      partsWith(async (args) => void ran.push(args)),
    );
    const restoreOf = (bytes: number) => {
      writeFileSync(join(target.backups.directory, name), "");
      // Without content, and without space on the disk.
      truncateSync(join(target.backups.directory, name), bytes);
      return backups.restore("directory", name, async () => {});
    };
    for (const bytes of [disk.free * 2, disk.free - leastFree(disk)])
      await expect(restoreOf(Math.round(bytes))).rejects.toMatchObject({
        code: "invalid_state",
        message: expect.stringContaining("has no room"),
      });
    expect(ran).toEqual([]);
    expect(await restoreOf(4_096)).toMatchObject({ kind: "restoration", name });
  });

  test.each([
    ["that makes a backup", true],
    ["that finds one of an earlier start", false],
  ])("%s is measured in seconds", async (_, isNew) => {
    states("docs/monitoring.md", "When the last good backup was made");
    const made = { name: "any", at: NOW, isNew, bytes: 3, places: ["directory"] };
    await using backups = new Backups(
      target.backups,
      partsWith(() => Promise.resolve(made)),
    );
    const figures = { cpu: () => ({ user: 0, system: 0 }), memory: () => 0, startedAt: 0 };
    using metrics = new Metrics({ version: "1.0.0", runtime: "test", deployment: "production" }, figures);
    backups.addMetrics(metrics);
    for (const { run } of backups.tasks) await run(new AbortController().signal);
    const read = new ReadMetrics(await metrics.text());
    expect(read.value("petstore_backup_interval_seconds")).toBe(3_600);
    expect(read.value("petstore_backup_last_success_timestamp_seconds")).toBe(NOW / 1000);
  });
});
