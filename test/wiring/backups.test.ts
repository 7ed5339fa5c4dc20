import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { BackupDirectory, diskOf } from "../../src/adapters/backups/directory.ts";
import { Metrics } from "../../src/adapters/prometheus/metrics.ts";
import { IN_MEMORY } from "../../src/adapters/sqlite/errors.ts";
import { leastFree } from "../../src/domain/alerts.ts";
import { backupName } from "../../src/domain/backups.ts";
import { BackupRuns, Backups, openBackups, type RunCommand } from "../../src/wiring/backups/backups.ts";
import type { BackupTarget } from "../../src/wiring/backups/make-backup.ts";
import type { DatabaseConfig } from "../../src/wiring/config.ts";
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

  /** Runs whose commands take a moment, and end so; what they were asked for, and what they logged. */
  const logging = (...results: object[]) => {
    const [asked, lines]: [string[][], Record<string, unknown>[]] = [[], []];
    const run: RunCommand = async (args) => {
      asked.push(args);
      await pause(20);
      return results.shift() ?? {};
    };
    const collecting = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const directory = new BackupDirectory(target.backups.directory, "production");
    const options = { ...partsWith(run), log: collecting };
    const runs = new BackupRuns(options, Promise.resolve({ directory, s3: undefined }));
    return { runs, asked, lines };
  };

  test("is logged with the backup that it has made and how many seconds that took, and not if there was one", async () => {
    const made = { name: "any.db", at: NOW, isNew: true, bytes: 3, places: ["directory", "s3"], pets: 4 };
    const { runs, asked, lines } = logging(made, { ...made, isNew: false });
    const startedAt = performance.now();
    for (const cause of ["schedule", "operator"] as const) await runs.make(cause).ended;
    const elapsed = (performance.now() - startedAt) / 1_000;
    expect(asked).toEqual(
      ["schedule", "operator"].map((cause) => [
        ...["database", "backup", "--json", "--cause", cause, "--at", String(NOW)],
      ]),
    );
    const { name, bytes, places, pets } = made;
    expect(lines).toMatchObject([{ level: 30, name, bytes, places, pets, msg: "a backup was made" }]);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.seconds).toBeWithin(0.015, elapsed);
    await runs[Symbol.asyncDispose]();
  });

  test("that restores or verifies takes the file in the directory, or the object in the bucket of this name", async () => {
    const { runs, asked, lines } = logging({ problem: null }, {}, {});
    const source = { name: "any.db", file: "/backups/any.db" };
    await runs.beginVerification("directory", source.name).ended;
    for (const place of ["directory", "s3"] as const) {
      const { job, ended } = runs.beginRestoration(place, source, `/data/${place}.db`);
      expect(await job).toEqual({ kind: "restoration", name: "any.db", place, startedAt: NOW });
      await ended;
      expect(runs.restored).toEqual({ name: "any.db", path: `/data/${place}.db`, at: NOW });
    }
    expect(asked).toEqual([
      ["database", "backups", "verify", "any.db", "--json"],
      ["database", "restore", "/backups/any.db", "--to", "/data/directory.db", "--json"],
      ["database", "restore", "any.db", "--s3", "--to", "/data/s3.db", "--json"],
    ]);
    expect(lines).toMatchObject(
      ["directory", "s3"].map((place) => ({
        ...{ level: 30, name: "any.db", place, path: `/data/${place}.db` },
        msg: "a backup was restored into a new file",
      })),
    );
    await runs[Symbol.asyncDispose]();
  });

  test("that takes an upload begins once no other is under way, and its end lets others begin", async () => {
    const { runs, asked } = logging({ name: "any", at: NOW, isNew: true, bytes: 3, places: ["directory"] });
    const { ended } = runs.make("operator");
    const added = runs.add("/backups/new.unfinished-1", "new.db");
    expect([runs.job?.kind, asked.length]).toEqual(["backup", 1]);
    await ended;
    await Promise.resolve();
    expect(runs.job).toEqual({ kind: "upload", name: "new.db", place: "directory", startedAt: NOW });
    await added;
    expect([runs.job, asked[1]]).toEqual([
      undefined,
      ["database", "backups", "add", "/backups/new.unfinished-1", "--name", "new.db", "--json"],
    ]);
    await runs[Symbol.asyncDispose]();
  });

  test("leaves its reason, its kind and its time until the same succeeds", async () => {
    await using runs = runsWith(fails);
    for (const [kind, begin] of [
      ["verification", () => runs.beginVerification("directory", "any.db")],
      ["restoration", () => runs.beginRestoration("directory", { name: "any.db", file: "any.db" }, "new.db")],
      ["backup", () => runs.make("operator")],
    ] as const) {
      await begin().ended;
      expect([runs.failure, runs.failures]).toEqual([
        { kind, at: NOW, reason: "the disk is full" },
        kind === "backup" ? 1 : 0,
      ]);
    }
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

  test("of the schedule does not begin at a stop, and without a schedule there is none", async () => {
    const asked: string[][] = [];
    const parts = partsWith(async (args) => void asked.push(args));
    await using backups = new Backups(target.backups, parts);
    for (const { run } of backups.tasks) await run(AbortSignal.abort());
    await using unscheduled = new Backups({ ...target.backups, every: undefined }, parts);
    expect([asked, unscheduled.tasks, unscheduled.nextAt]).toEqual([[], [], undefined]);
  });

  test("is made of the file of a database alone, and where commands run", () => {
    const run: RunCommand = async () => {};
    const opened = (database: DatabaseConfig, runCommand?: RunCommand) =>
      openBackups({ ...target, database }, runCommand, () => NOW, log) !== undefined;
    const server = { engine: "postgres", url: "postgres://a/b", poolSize: 3 } as const;
    expect([opened(target.database, run), opened(target.database), opened(server, run)]).toEqual([true, false, false]);
    expect(opened({ engine: "sqlite", path: IN_MEMORY }, run)).toBe(false);
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
    states("docs/backups.md", "It may be as large as the disk has room for.");
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

  test("does not take an upload of which the disk would be nearly full, and leaves nothing of it", async () => {
    const ran: string[][] = [];
    await using backups = new Backups(
      target.backups,
      partsWith(async (args) => void ran.push(args)),
    );
    const { free = 0, size = 0 } = (await diskOf(path)) ?? {};
    const chunksOf = async function* (bytes: number) {
      yield Buffer.from("SQLite format 3\0");
      // As if it were so large.
      yield Object.defineProperty(new Uint8Array(1), "length", { value: bytes });
    };
    const name = backupName("production", NOW);
    const upload = (bytes: number) => backups.upload(name, chunksOf(bytes), async () => {});
    for (const bytes of [free * 2, free - leastFree({ size })])
      await expect(upload(bytes)).rejects.toMatchObject({ code: "payload_too_large" });
    expect([ran, readdirSync(target.backups.directory)]).toEqual([[], []]);
    await expect(backups.upload("petstore.db", chunksOf(1), async () => {})).rejects.toMatchObject({
      code: "invalid_parameter",
      message: expect.stringContaining(backupName("production", Date.UTC(2026, 11, 2, 10))),
    });
  });

  test("however many wait for a list, each place is asked once at a time, and a bucket not again after a failure", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const s3 = {
      ...{ bucket: "backups", prefix: "", region: "us-east-1", sessionToken: undefined },
      ...{ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      ...{ accessKeyId: "key", secretAccessKey: "secret" },
    };
    const read = spyOn(BackupDirectory.prototype, "list");
    await using backups = new Backups({ ...target.backups, s3 }, partsWith(fails));
    const outcomes = (place: "directory" | "s3") =>
      Promise.all([1, 2, 3].map(() => backups.list(place).catch(() => "failed")));
    expect(await outcomes("directory")).toEqual([[], [], []]);
    expect(await outcomes("s3")).toEqual(["failed", "failed", "failed"]);
    expect([read.mock.calls.length, asked]).toEqual([1, 1]);
    await outcomes("directory");
    await outcomes("s3");
    expect([read.mock.calls.length, asked]).toEqual([2, 2]);
    read.mockRestore();
    server.close();
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
