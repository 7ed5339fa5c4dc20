import { describe, expect, test } from "bun:test";
import { type ChildProcess, execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { bearer } from "../support/client.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { commandFor, MAIN, type Runtime } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { isRunning, startWorkers } from "../support/workers.ts";
import { Workplace } from "./petstore.ts";

const KILLED = "a worker has not answered for 10 s and is killed";
const REPLACED = "a worker ended unexpectedly and is replaced";

/** Ends with the last start: at once, those of all tests may take longer than a start is given. */
let starting: Promise<unknown> = Promise.resolve();

/** Two workers on a SQLite file, which end with the test. */
async function started(runtime: Runtime) {
  const directory = temporaryDirectory();
  const env = { DATABASE_URL: `sqlite:${join(directory, "petstore.db")}` };
  const start = starting.then(() => startWorkers(commandFor(MAIN, runtime), 2, env));
  starting = start.catch(() => {});
  const workers = await start;
  return {
    workers,
    /** Makes a key with this plan. */
    async newKey(plan: string): Promise<string> {
      const petstore = new Workplace();
      const { json } = await petstore.run(["keys", "create", "--name", plan, "--plan", plan, "--json"], { env });
      petstore.remove();
      return json.key;
    },
    lines: (text: string) => workers.log.filter(({ msg }) => msg === text),
    async [Symbol.asyncDispose]() {
      for (const pid of workers.pids.filter(isRunning)) process.kill(pid, "SIGCONT");
      await workers.remove();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Sends a request on a connection of its own. Returns undefined when it is not answered within 2 s. */
async function send(url: string, secret: string, init: RequestInit = {}): Promise<Response | undefined> {
  const headers = { ...bearer(secret), "Content-Type": "application/json", Connection: "close" };
  return fetch(url, { ...init, headers, signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
}

/**
 * Stops the next process that this one starts, once it runs its own program. Resolves with its id. Before, it is a copy of the
 * process that starts it: stopped then, it would hold that one, which waits for its program, and keep all that it has open.
 */
async function stopNextChild({ pid = 0 }: ChildProcess): Promise<number> {
  const children = `/proc/${pid}/task/${pid}/children`;
  const known = readFileSync(children, "utf8").trim().split(" ").join("|");
  // A shell sees it within milliseconds, however busy this process is.
  const loop = `while :; do for pid in $(cat ${children}); do case $pid in ${known}) ;; *)
    while cmp -s /proc/$pid/cmdline /proc/${pid}/cmdline; do :; done
    kill -STOP $pid; echo $pid; exit ;; esac; done; done`;
  return Number((await promisify(execFile)("sh", ["-c", loop])).stdout);
}

describe.each(runtimes)("on %s", (runtime) => {
  test.concurrent("a worker that hangs is killed and replaced; nothing acknowledged is lost, and limits stay exact", async () => {
    states("docs/running.md", "Meanwhile the connections that the system gives to it get no answer.");
    states("docs/reliability.md", "Until then the connections that the system gives to it get no answer.");
    states("docs/monitoring.md", "`worker` is its process id, `code` and `signal` say how it ended.");
    states(
      "docs/reliability.md",
      "One of several workers hangs (SIGSTOP) | It is killed after 10 s without an answer, and replaced.",
      "Nothing acknowledged is lost, and limits stay exact.",
    );
    states("docs/monitoring.md", "It hangs; it is replaced, as one that ended.");
    states(
      "docs/running.md",
      "So is one that hangs: the parent asks each worker every second, and kills one that has not answered for 10 seconds",
    );
    await using service = await started(runtime);
    const { workers, newKey, lines } = service;
    const pets = `${workers.url}/v1/pets`;
    const [business, free] = await Promise.all([newKey("business"), newKey("free")]);
    const acknowledged: number[] = [];
    const create = async () => {
      const response = await send(pets, business, { method: "POST", body: '{"name":"Rex","categoryId":1}' });
      if (response?.status === 201) acknowledged.push((await response.json()).id);
    };
    const statuses: (number | undefined)[] = [];
    const list = async () => statuses.push((await send(`${pets}?limit=1`, free))?.status);
    const allowed = () => statuses.filter((status) => status === 200).length;
    const hanging = workers.first;

    await Promise.all(Array.from({ length: 20 }, list));
    expect(allowed()).toBe(20);
    const counted = async () =>
      (await metricsAt(workers.adminUrl)).sum("petstore_http_requests_total", { operation: "listPets" });
    expect(await counted()).toBe(20);
    const stoppedAt = Date.now();
    process.kill(hanging, "SIGSTOP");
    // A scrape waits for it for a second, and has what it has counted before.
    const scrapedAt = performance.now();
    expect(await counted()).toBe(20);
    expect(performance.now() - scrapedAt).toBeLessThan(besideLoad(2_500));
    expect(lines(KILLED)).toEqual([]);
    while (lines(REPLACED).length === 0) {
      await Promise.all([...Array.from({ length: 20 }, create), list(), pause(200)]);
    }
    states(
      "docs/monitoring.md",
      "| `a worker has not answered for 10 s and is killed` | error | With `--workers`: `worker` is its process id.",
      "| `a worker ended unexpectedly and is replaced` | error | With `--workers`: `worker` is its process id, `code` and `signal` say how it ended.",
    );
    expect(lines(KILLED)).toMatchObject([{ level: 50, worker: hanging }]);
    // 10 s, and what a busy machine adds.
    expect(Number(lines(KILLED)[0]?.time) - stoppedAt).toBeWithin(9_000, 20_000);
    expect(lines(REPLACED)).toMatchObject([{ worker: hanging, signal: "SIGKILL" }]);
    await eventually(() => workers.pids.length === 3);

    const answered = await Promise.all(Array.from({ length: 100 }, () => send(`${pets}?limit=1`, business)));
    expect(new Set(answered.map((response) => response?.status))).toEqual(new Set([200]));
    await Promise.all(Array.from({ length: 100 }, list));
    expect(allowed()).toBe(60);

    expect(acknowledged.length).toBeGreaterThan(0);
    const found: number[] = [];
    for (let i = 0; i < acknowledged.length; i += 100) {
      const response = await send(`${pets}?ids=${acknowledged.slice(i, i + 100)}`, business);
      for (const { id } of (await response?.json()) ?? []) found.push(id);
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(acknowledged.toSorted((a, b) => a - b));
  });

  test.concurrent("a worker that hangs before it listens is killed and replaced", async () => {
    states(
      "docs/monitoring.md",
      "It hangs in its start; it is replaced, unless the service is starting: then that ends.",
    );
    states("docs/monitoring.md", "`worker` is its process id. It hangs in its start; it is replaced");
    states("docs/running.md", "or does not listen 30 seconds after its start.");
    await using service = await started(runtime);
    const { workers, lines } = service;
    const stopped = stopNextChild(workers.process);
    process.kill(workers.first, "SIGKILL");
    const hanging = await stopped;
    await eventually(() => lines(REPLACED).length === 2);
    expect(lines("a worker has not listened after 30 s and is killed")).toMatchObject([{ level: 50, worker: hanging }]);
    await eventually(() => workers.pids.length === 3);
    // The first one has ended long ago, and is asked no more.
    expect(lines(KILLED)).toEqual([]);
  });

  test.concurrent("workers that were stopped together with their parent, as when a machine sleeps, are not killed", async () => {
    await using service = await started(runtime);
    const { workers, lines } = service;
    const processes = [Number(workers.process.pid), ...workers.pids];
    for (const pid of processes) process.kill(pid, "SIGSTOP");
    await pause(13_000);
    for (const pid of processes) {
      process.kill(pid, "SIGCONT");
      await pause(500);
    }
    await pause(1_500);
    expect([...lines(KILLED), ...lines(REPLACED)]).toEqual([]);
    expect(workers.pids.filter(isRunning)).toHaveLength(2);
  });

  test.concurrent("a stop takes 10 s at most while a worker hangs, and says that it is killed", async () => {
    states("docs/monitoring.md", "What it counted in its last second may be lost.");
    states(
      "docs/monitoring.md",
      "| `a worker has not stopped for 9 s and is killed` | error | With `--workers`: `worker` is its process id.",
    );
    states(
      "docs/reliability.md",
      "SIGTERM while a worker hangs | Exit 0 within 10 s; the log says that it was killed.",
    );
    states(
      "docs/running.md",
      "With `--workers`, one that has not stopped after 9 seconds is killed, and the log says so.",
    );
    await using service = await started(runtime);
    const { workers, lines } = service;
    const hanging = workers.first;
    process.kill(hanging, "SIGSTOP");
    const began = performance.now();
    expect(await workers.end("SIGTERM")).toBe(0);
    // 10 s, and what a busy machine adds to the 9 s below.
    expect(performance.now() - began).toBeLessThan(besideLoad(20_000));
    await eventually(() => lines("stopped").length === 2);
    expect(lines("a worker has not stopped for 9 s and is killed")).toMatchObject([{ level: 50, worker: hanging }]);
    expect(workers.pids.filter(isRunning)).toEqual([]);
  });

  test.concurrent("a worker that ends just before a stop is not replaced any more", async () => {
    await using service = await started(runtime);
    const { workers, lines } = service;
    process.kill(workers.first, "SIGKILL");
    await eventually(() => lines(REPLACED).length === 1);
    expect(await workers.end("SIGTERM")).toBe(0);
    const [ended, stopping] = [REPLACED, "stopping"].map((text) => lines(text)[0]?.time ?? Number.NaN);
    // On a machine so busy that the stop came later, it was replaced before.
    if (Number(stopping) - Number(ended) < 900) expect(workers.pids).toHaveLength(2);
  });

  test.concurrent("all stop when their terminal closes, which sends SIGHUP to each", async () => {
    await using service = await started(runtime);
    const { workers, lines } = service;
    for (const pid of workers.pids) process.kill(pid, "SIGHUP");
    expect(await workers.end("SIGHUP")).toBe(0);
    await eventually(() => lines("stopped").length === 3);
    expect(lines(REPLACED)).toEqual([]);
  });
});
