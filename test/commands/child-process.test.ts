import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { asRunInJson, runInChildProcess, thisRuntime } from "../../src/commands/program.ts";
import { eventually } from "../support/eventually.ts";
import { runtime } from "../support/runtime.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { isRunning } from "../support/workers.ts";

/** Before any command has run. */
const own = getPriority();
const never = new AbortController().signal;
/** Runs this program in a process of its own, as a command of the service. */
const running = (program: string, signal = never, ...args: string[]) =>
  runInChildProcess(args, signal, [process.execPath, "--eval", program]);

test("what a command prints as JSON is its result, also if it exits with 1 because of what it found", async () => {
  const program = (code: number) => `console.log(JSON.stringify({ code: ${code} })); process.exitCode = ${code}`;
  expect(await running(program(0))).toEqual({ code: 0 });
  expect(await running(program(1))).toEqual({ code: 1 });
  expect(await running("console.log(JSON.stringify(process.argv.slice(-2)))", never, "one", "two")).toEqual([
    "one",
    "two",
  ]);
});

test("the reason of a failure is what the command prints, or else how it ended", async () => {
  const failing = (program: string) => running(program).then(String, (error: Error) => error.message);
  expect(await failing('console.error("petstore: petstore: it is full."); process.exit(1)')).toBe(
    "petstore: it is full.",
  );
  expect(await failing("process.exit(3)")).toBe("The process ended with 3.");
  expect(await failing('process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 60_000)')).toBe(
    "The process ended with SIGTERM.",
  );
});

test("a command that the end of the service ends is killed, although it would stay on SIGTERM", async () => {
  const file = join(temporaryDirectory(), "pid");
  const stopping = new AbortController();
  const program = `process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000);
    require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid));`;
  const ended = running(program, stopping.signal).then(String, () => "it was ended");
  const pid = () => {
    try {
      return Number(readFileSync(file, "utf8"));
    } catch {
      return 0;
    }
  };
  await eventually(() => pid() > 0);
  stopping.abort();
  expect(await ended).toBe("it was ended");
  await eventually(() => !isRunning(pid()));
});

test.skipIf(process.platform === "win32")("a command leaves the processor to the service", async () => {
  const program = `const { getPriority, constants } = require("node:os");
    const end = Date.now() + 20_000;
    const look = () => {
      if (getPriority() < constants.priority.PRIORITY_LOW && Date.now() < end) setTimeout(look, 5);
      else console.log(getPriority());
    };
    look();`;
  expect(await running(program)).toBe(constants.priority.PRIORITY_LOW);
  expect(getPriority()).toBe(own);
});

test("the author of what commands change is the user of the system, by number without a name", () => {
  const path = JSON.stringify(join(import.meta.dir, "../../src/commands/program.ts"));
  const program = `console.log((await import(${path})).commandLineAuthor().operator.name)`;
  const nameWith = (env: Record<string, string>) =>
    spawnSync(process.execPath, ["--eval", program], { encoding: "utf8", env }).stdout.trim();
  const { PATH = "" } = process.env;
  expect(nameWith({ PATH, USER: "ada" })).toBe("command line (ada)");
  expect(nameWith({ PATH })).toBe(`command line (user ${process.getuid?.()})`);
});

test("a line of the log names commands as they are run, and stays JSON with any settings", () => {
  const given = process.env.DATABASE_URL;
  process.env.DATABASE_URL = 'sqlite:/my "pets"/a.db';
  const { msg } = JSON.parse(asRunInJson(JSON.stringify({ msg: "damaged: run `petstore database check`" })));
  if (given === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = given;
  expect(msg).toStartWith(`damaged: run \`DATABASE_URL='sqlite:/my "pets"/a.db' `);
  expect(msg).toEndWith(" database check`");
});

test("the metrics of a process are in seconds and in bytes, and its start is in Unix seconds", async () => {
  const { name, process: figures } = await thisRuntime();
  expect(name).toBe(runtime === "bun" ? `Bun ${process.versions.bun}` : expect.any(String));
  const microseconds = process.cpuUsage();
  const { user, system } = figures.cpu();
  expect(user).toBeWithin(microseconds.user / 1e6, (microseconds.user + 10e6) / 1e6);
  expect(system).toBeWithin(microseconds.system / 1e6, (microseconds.system + 10e6) / 1e6);
  expect(figures.memory() / process.memoryUsage.rss()).toBeWithin(0.5, 2);
  expect(figures.startedAt).toBeWithin(Date.now() / 1000 - process.uptime() - 5, Date.now() / 1000 + 1);
});
