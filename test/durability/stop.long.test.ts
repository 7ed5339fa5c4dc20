import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findNode } from "../../bin/runtime.js";
import { besideLoad, eventually } from "../support/eventually.ts";
import { asksToClose, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { countedBefore } from "./counted.ts";
import { DepartingClients } from "./departing-clients.ts";
import { type Command, Program } from "./program.ts";
import { readiness, untilGone } from "./readiness.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER: Command = ["node", "bin/petstore.js", "serve"];
const BODY = '{"name":"Slow","categoryId":1}';
/** The time limit of a stop with requests in flight, in ms. Without requests it takes much less. */
const LONGEST = 10_000;
const NOTHING_IN_FLIGHT = 6_000;
const TIMEOUT = 40_000;

/** The time in which /readyz reports the stop before connections are refused, in ms. */
const FAREWELL = 1_500;

const CLEAN = { code: 0, signal: null };

/** A service started through the launcher or npm. It ends with the test. */
async function started(runtime: string, command = LAUNCHER) {
  const directory = new StoreDirectory();
  const secret = await createKey(directory.path);
  const env = { PETSTORE_RUNTIME: runtime, npm_config_update_notifier: "false" };
  const start = (more: Record<string, string> = {}) =>
    Program.start({ command, directory: directory.path, cwd: PROJECT, env: { ...env, ...more } });
  const program = await start();
  return {
    program,
    secret,
    startAgain: start,
    async [Symbol.asyncDispose]() {
      // Not SIGKILL, which the launcher cannot pass on.
      program.process.kill("SIGTERM");
      await program.end();
      directory[Symbol.dispose]();
    },
  };
}

const signals = runtimes.flatMap((runtime) =>
  (["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal) => [runtime, signal] as const),
);

test.concurrent.each(signals)("on %s, %s under load drops no request and loses no count", async (runtime, signal) => {
  states(
    "docs/reliability.md",
    "SIGTERM, SIGINT or SIGHUP under load",
    "SIGTERM, SIGINT or SIGHUP under load | No request is dropped; exit 0 within 10 s.",
  );
  states("docs/running.md", "On SIGTERM, SIGINT, or SIGHUP, which a terminal or an SSH session sends when it closes");
  await using service = await started(runtime);
  const { program, secret } = service;
  const clients = new DepartingClients(program.url, secret);
  await eventually(() => clients.answered > 1_000);
  program.process.kill(signal);
  await clients.haveGone;
  expect(clients).toMatchObject({ dropped: [], unexpected: [] });
  const ended = await program.end();
  expect(ended).toMatchObject(CLEAN);
  expect(JSON.parse(ended.stdout.split("\n").find((line) => line.includes('"msg":"stopping"')) ?? "")).toMatchObject({
    ...{ level: 30, signal },
  });

  const next = await service.startAgain();
  const counted = await countedBefore(next.url, secret);
  next.process.kill("SIGTERM");
  await next.end();
  expect(counted).toBe(clients.answered);
});

test.each(runtimes)(
  "on %s, a stop drops no request of clients that connect again at once",
  async (runtime) => {
    using directory = new StoreDirectory();
    const secret = await createKey(directory.path);
    const command: Command = [...commandFor(MAIN, runtime), "serve"];
    for (let run = 0; run < 3; run++) {
      const program = await Program.start({ command, directory: directory.path });
      const clients = new DepartingClients(program.url, secret, { isReturning: true });
      await eventually(() => clients.answered > 1_000);
      program.process.kill("SIGTERM");
      await clients.haveGone;
      expect(clients).toMatchObject({ dropped: [], unexpected: [] });
      expect(await program.end()).toMatchObject(CLEAN);
    }
  },
  2 * TIMEOUT,
);

test.concurrent.each(runtimes)(
  "on %s, a stop is announced before connections are refused, and a second signal that comes with it changes nothing",
  async (runtime) => {
    states(
      "docs/running.md",
      "or it is stopping: send requests elsewhere.",
      "The 503 of a stop is not logged as an error.",
      "After 1.5 seconds the service accepts no new connections",
    );
    await using service = await started(runtime);
    const { program } = service;
    // Sent together, they arrive together, however busy the machine is; two of the same kind might arrive as one.
    program.process.kill("SIGTERM");
    program.process.kill("SIGINT");
    let refused = 0;
    for await (const answer of readiness(program.url)) {
      if (answer.status === 200) continue;
      expect(answer.status).toBe(503);
      expect(asksToClose(answer)).toBe(true);
      expect(answer.head).toMatch(/^retry-after: \d+\r?$/im);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
    const end = await program.end();
    expect(end).toMatchObject(CLEAN);
    // The probes that are refused are not failures.
    expect(end.stdout).not.toContain('"level":50');
    // Timed by the service itself: this process may be delayed.
    expect(loggedAt(end.stdout, "stopped") - loggedAt(end.stdout, "stopping")).toBeGreaterThanOrEqual(FAREWELL);
  },
);

test.concurrent.each(runtimes)("on %s, a stop is not delayed by idle connections", async (runtime) => {
  await using service = await started(runtime);
  const { program, secret } = service;
  const idle = await Promise.all(Array.from({ length: 20 }, () => KeepAliveConnection.open(program.url)));
  const used = idle.slice(10);
  await Promise.all(used.map((connection) => connection.request(requestText("GET", "/v1/pets", secret))));
  const began = performance.now();
  program.process.kill("SIGTERM");
  expect(await program.end()).toMatchObject(CLEAN);
  expect(performance.now() - began).toBeLessThan(besideLoad(NOTHING_IN_FLIGHT));
  await Promise.all(idle.map((connection) => connection.closed()));
});

test.concurrent.each(runtimes)(
  "on %s, a stop waits for a body that is still arriving, and no longer",
  async (runtime) => {
    await using service = await started(runtime);
    const { program, secret } = service;
    const slow = await KeepAliveConnection.open(program.url);
    const request = requestText("POST", "/v1/pets", secret, BODY);
    slow.send(request.slice(0, -5));
    const began = performance.now();
    program.process.kill("SIGTERM");
    await untilGone(program.url);
    slow.send(request.slice(-5));
    expect((await slow.answer()).status).toBe(201);
    expect(await program.end()).toMatchObject(CLEAN);
    expect(performance.now() - began).toBeLessThan(besideLoad(NOTHING_IN_FLIGHT));
  },
);

test.concurrent.each(runtimes)("on %s, a stop does not wait forever for a body that never arrives", async (runtime) => {
  states("docs/running.md", "It exits with 0, at most 10 seconds after the signal.");
  await using service = await started(runtime);
  const { program, secret } = service;
  const stuck = await KeepAliveConnection.open(program.url);
  stuck.send(requestText("POST", "/v1/pets", secret, BODY).slice(0, -5));
  const began = performance.now();
  program.process.kill("SIGTERM");
  expect(await program.end()).toMatchObject(CLEAN);
  expect(performance.now() - began).toBeLessThan(besideLoad(LONGEST));
});

const newNode = findNode();
test.concurrent.skipIf(newNode === undefined)(
  "below a Node that can replace itself, the launcher is the service: SIGKILL ends it",
  async () => {
    await using service = await started("bun", [newNode ?? "", "bin/petstore.js", "serve"]);
    const { program } = service;
    program.process.kill("SIGKILL");
    await untilGone(program.url);
    expect(await program.end()).toMatchObject({ signal: "SIGKILL", stderr: "" });
  },
);

test.concurrent("below a launcher that waits for it, the service stops when that is killed", async () => {
  states(
    "docs/running.md",
    "If the launcher above the service is killed, as `npm start` or a Node older than 22.15 has one, the service stops as on SIGTERM.",
  );
  using directory = new StoreDirectory();
  // As below npm, or on a Node that cannot replace itself.
  const env = { npm_lifecycle_event: "start" };
  const program = await Program.start({ command: LAUNCHER, directory: directory.path, cwd: PROJECT, env });
  program.process.kill("SIGKILL");
  await untilGone(program.url);
  expect((await program.end()).stdout).toContain('"msg":"stopped"');
});

test.concurrent("in the background of a shell, the service goes on when that has ended", async () => {
  using directory = new StoreDirectory();
  const url = `sqlite:${directory.path}/petstore.db`;
  const PORT = String(await freePort());
  const env = { PATH: process.env.PATH, DATABASE_URL: url, PORT, PETSTORE_ADMIN_PORT: "off" };
  const script = `${LAUNCHER.map((word) => `'${word}'`).join(" ")} >/dev/null 2>&1 & echo $!; read line`;
  const shell = spawn("sh", ["-c", script], { cwd: PROJECT, env, stdio: ["pipe", "pipe", "ignore"] });
  const [pid] = await once(shell.stdout, "data");
  const isUp = async () => (await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => undefined))?.status === 200;
  await eventually(isUp);
  shell.stdin.end();
  await once(shell, "exit");
  // Longer than a launcher takes to notice that what started it is gone.
  await pause(1_000);
  expect(await isUp()).toBe(true);
  process.kill(Number(pid), "SIGTERM");
  await untilGone(`http://127.0.0.1:${PORT}`);
});

test.concurrent("below a launcher that waits for it, workers go on, and stop when it does", async () => {
  states("docs/monitoring.md", "`started` | info | With `--workers`: all workers are ready.");
  using directory = new StoreDirectory();
  const env = { npm_lifecycle_event: "start", PORT: String(await freePort()) };
  const command: Command = [...LAUNCHER, "--workers", "2"];
  const program = await Program.start({ command, directory: directory.path, cwd: PROJECT, env });
  const logged = (message: string) => program.printed.stdout.split(`"msg":"${message}`).length - 1;
  await eventually(() => logged("started") === 1);
  // Longer than a process takes to notice that its launcher is gone.
  await pause(2_000);
  expect(logged("stopping")).toBe(0);
  program.process.kill("SIGTERM");
  expect(await program.end()).toMatchObject(CLEAN);
  expect([logged("stopped"), logged("a worker ended unexpectedly")]).toEqual([3, 0]);
});

test.concurrent.skipIf(process.platform !== "linux").each([
  ["service", []],
  ["workers", ["--workers", "2"]],
])("below nohup, the end of the terminal stops no %s, and SIGTERM does", async (_, options) => {
  states("docs/running.md", "The executable below `nohup` goes on when its terminal closes.");
  using directory = new StoreDirectory();
  const command: Command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", ...commandFor(MAIN), "serve", ...options];
  const program = await Program.start({ command, directory: directory.path, env: { PORT: String(await freePort()) } });
  await eventually(() => program.printed.stdout.includes(`"msg":"${options.length > 0 ? "started" : "listening"}"`));
  process.kill(-(program.process.pid ?? 0), "SIGHUP");
  await pause(500);
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
  program.process.kill("SIGTERM");
  const { stdout, ...ended } = await program.end();
  expect(ended).toMatchObject(CLEAN);
  expect(stdout).not.toContain('"signal":"SIGHUP"');
});

test.concurrent("npm start passes SIGTERM on", async () => {
  await using service = await started("bun", ["npm", "start"]);
  const { program } = service;
  program.process.kill("SIGTERM");
  await untilGone(program.url);
  expect((await program.end()).stdout).toContain('"msg":"stopped"');
});

test.concurrent("Ctrl-C stops npm start: the terminal sends SIGINT to every process", async () => {
  await using service = await started("bun", ["npm", "start"]);
  const { program } = service;
  process.kill(-(program.process.pid ?? 0), "SIGINT");
  await untilGone(program.url);
  expect((await program.end()).stdout).toContain('"msg":"stopped"');
});

test.concurrent("npm start logs its stop once, and ends only when the service has: it can start again at once", async () => {
  states("docs/running.md", "`npm start` passes signals on once, and ends when the service has ended.");
  await using service = await started("bun", ["npm", "start"]);
  const { program } = service;
  const ended = once(program.process, "exit");
  program.process.kill("SIGTERM");
  await ended;
  const next = await service.startAgain({ PORT: new URL(program.url).port });
  next.process.kill("SIGTERM");
  await next.end();
  expect((await program.end()).stdout.match(/"msg":"stopping"/g)).toHaveLength(1);
});

test.concurrent.each(runtimes)("on %s, another signal one second later ends the service at once", async (runtime) => {
  states(
    "docs/running.md",
    "ends the process at once with 1: limits may forget the last second of requests, pets are not affected.",
  );
  states("docs/monitoring.md", "`stopping at once` | warn | Another signal arrived.");
  states("docs/running.md", "Another signal, at least 1 second after the first, ends the process at once with 1");
  await using service = await started(runtime);
  const { program, secret } = service;
  const stuck = await KeepAliveConnection.open(program.url);
  stuck.send(requestText("POST", "/v1/pets", secret, BODY).slice(0, -5));
  program.process.kill("SIGTERM");
  await untilGone(program.url);
  program.process.kill("SIGTERM");
  expect(await program.end()).toMatchObject({ code: 1, signal: null });
  expect(program.printed.stdout).not.toContain('"msg":"stopped"');
  states("docs/monitoring.md", "`stopping at once` | warn | Another signal arrived.");
  const line = program.printed.stdout.split("\n").find((text) => text.includes('"msg":"stopping at once"'));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ level: 40, signal: "SIGTERM" });
});

/** The time of the first log entry with this message, in Unix milliseconds. */
function loggedAt(stdout: string, message: string): number {
  const line = stdout.split("\n").find((text) => text.includes(`"msg":"${message}"`));
  return JSON.parse(line ?? "{}").time;
}
