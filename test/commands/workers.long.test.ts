import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bearer, Client } from "../support/client.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { freePort } from "../support/ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { commandFor, MAIN, runtime } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { isRunning, type RunningWorkers, startWorkers } from "../support/workers.ts";
import { Workplace } from "./petstore.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine, which workers on PostgreSQL use here");

/** How many requests of the first key's business plan succeed in a minute. */
const PER_MINUTE = 1_000;

/** Asks on a connection of its own, which the system gives to any of them. */
async function ask(url: string, secret?: string): Promise<number> {
  const headers = { Connection: "close", ...(secret !== undefined && { Authorization: `Bearer ${secret}` }) };
  const response = await fetch(`${url}${secret === undefined ? "/readyz" : "/v1/pets?limit=1"}`, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** When a process was started, in Unix ms (proc_pid_stat(5), starttime, in hundredths of a second since the boot). */
function startOf(pid: number): number {
  const sinceBoot = Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[19]) * 10;
  const [uptime] = readFileSync("/proc/uptime", "latin1").split(" ");
  return Date.now() - Number(uptime) * 1_000 + sinceBoot;
}

type Dependencies = { env: Record<string, string>; remove(): Promise<unknown> };

async function startServers(): Promise<Dependencies> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  return {
    env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    remove: () => Promise.all([postgres.remove(), redis.remove()]),
  };
}

async function makeFile(): Promise<Dependencies> {
  const directory = temporaryDirectory();
  return {
    env: { DATABASE_URL: `sqlite:${join(directory, "petstore.db")}` },
    remove: async () => rmSync(directory, { recursive: true }),
  };
}

const engines = [
  { name: "PostgreSQL and Redis", start: startServers, isHere: hasRedis },
  { name: "a SQLite file", start: makeFile, isHere: true },
];
const systems = engines
  .filter(({ isHere }) => isHere)
  .flatMap((engine) => runtimes.map((runtime) => ({ ...engine, runtime })));

describe.each(systems)("three workers on $name, on $runtime", ({ name, start, runtime }) => {
  const TMPDIR = temporaryDirectory();
  let dependencies: Dependencies;
  let workers: RunningWorkers;
  const env = (more: Record<string, string> = {}) => ({
    ...dependencies.env,
    PETSTORE_REQUEST_LOG: "true",
    PETSTORE_NODES: "2",
    // Misspelt.
    PETSTORE_DEPLOYMNET: "production",
    TMPDIR,
    ...more,
  });
  beforeAll(async () => {
    dependencies = await start();
    workers = await startWorkers(commandFor(MAIN, runtime), 3, env());
  });
  afterAll(async () => {
    await workers?.remove();
    await dependencies?.remove();
    rmSync(TMPDIR, { recursive: true });
  });
  /** The directories of the sockets of parents. */
  const sockets = () => readdirSync(TMPDIR).filter((file) => file.startsWith("petstore-"));

  /**
   * Sends `count` requests with a key that nobody has used, 50 at a time. Returns how many were allowed: exactly `perMinute`
   * if no worker counted alone, as docs/reliability.md says of the nodes that each worker is then.
   */
  async function allowedOf(count: number, secret: string, perMinute: number): Promise<number> {
    const decidedAlone = async () =>
      (await metricsAt(workers.adminUrl)).value("petstore_limiter_fallback_requests_total");
    const [before, began] = [await decidedAlone(), performance.now()];
    const statuses: number[] = [];
    while (statuses.length < count) {
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(workers.url, secret)))));
    }
    const seconds = Math.min(10, (performance.now() - began) / 1_000);
    const alone = (await decidedAlone()) - before;
    const allowed = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(count - allowed);
    const more = Math.min(alone, 3 * (perMinute / 10 + (seconds * perMinute) / 60));
    expect(allowed).toBeWithin(perMinute - alone, perMinute + more + 1);
    return allowed;
  }

  let allowed: number;

  test("show one first key and one link, and count the key's limit together, exactly", async () => {
    states(
      "docs/running.md",
      "A key has the same limits however many workers there are, and its headers show what those of one process would.",
    );
    states("SECURITY.md", "The first key and the first sign-in link are printed on standard error.");
    states("docs/settings.md", "Without it each `serve` counts alone, for all its workers together.");
    states(
      "docs/administration.md",
      "The first start of a store prints a link to standard error, beside the first key.",
    );
    states("docs/running.md", "A key has the same limits however many workers there are");
    states("README.md", "The service prints, once, your first API key, and a link");
    expect(await workers.firstKeys()).toHaveLength(1);
    expect(workers.said.match(/pets_link_\w+/g)).toHaveLength(1);
    expect(workers.said.match(/PETSTORE_DEPLOYMNET is not a setting/g)).toHaveLength(1);
    const [secret = ""] = await workers.firstKeys();
    allowed = await allowedOf(1_500, secret, PER_MINUTE);
  });

  test("have one administration listener, in their parent", async () => {
    states("docs/administration.md", "With `serve --workers`, the parent process listens, not the workers.");
    states("docs/running.md", "Their parent listens for operators");
    const admin = await newOperator("Ada");
    const { keys } = (await admin.get("/admin/v1/keys")).body;
    expect(keys).toMatchObject([{ name: "first key", usage: { minute: { used: allowed, remaining: 0 } } }]);
    expect((await admin.get("/admin/v1/state")).body).toMatchObject({ database: { ok: true }, redis: { ok: true } });
    const [started, ...others] = workers.log.filter(({ adminPort: own }) => own !== undefined);
    expect([started, others]).toEqual([expect.objectContaining({ msg: "started", workers: 3 }), []]);
  });

  /** Runs a command beside the workers. */
  async function run(...args: string[]) {
    const petstore = new Workplace();
    const ended = await petstore.run([...args, "--json"], { env: env() });
    petstore.remove();
    return ended.json;
  }

  /** A client of the administration listener. */
  async function newOperator(name: string): Promise<Client> {
    const { token } = await run("operators", "create", "--name", name, "--role", "admin");
    return Client.ofOperator({ url: workers.adminUrl, headers: bearer(token) });
  }

  const newKey = (plan: string): Promise<{ id: string; key: string }> =>
    run("keys", "create", "--name", "another", "--plan", plan);

  const answered = async (status: string) =>
    (await metricsAt(workers.adminUrl)).sum("petstore_http_requests_total", { operation: "listPets", status });

  test("report their metrics as one", async () => {
    states(
      "docs/running.md",
      "`auto` starts one per core, and is what we recommend on a machine of its own with two cores or more.",
    );
    states(
      "docs/monitoring.md",
      "`serve --workers` reports all workers at one address.",
      "The parent reads the gauges of the database once for all.",
      "With `--workers`: workers that listen; otherwise 0.",
    );
    states("docs/running.md", "and reports the metrics of all.");
    expect(await Promise.all(["200", "429"].map(answered))).toEqual([allowed, 1_500 - allowed]);
    const read = await metricsAt(workers.adminUrl);
    expect(read.value("petstore_limiter_decisions_total", { limit: "key", outcome: "allowed" })).toBe(allowed);
    const takes = { store: "redis", operation: "limiter.take" };
    const alone = read.value("petstore_limiter_fallback_requests_total");
    if (name.includes("Redis"))
      expect(read.value("petstore_store_duration_seconds_count", takes)).toBeWithin(1_500 - alone, 1_501);
    expect(read.all("petstore_build_info").map(({ value }) => value)).toEqual([1]);
    expect(read.value("petstore_workers")).toBe(3);
    expect(read.value("petstore_workers_lost_total")).toBe(0);
    // Once an hour, in the parent alone.
    expect(read.value("petstore_background_task_runs_total", { task: "delete_by_retention" })).toBe(1);
    // What a store knows is read once, by the parent: the first key is one.
    expect(read.all("petstore_keys").reduce((sum, { value }) => sum + value, 0)).toBe(1);
    // Three that serve, and the one that started them.
    expect(read.value("process_resident_memory_bytes")).toBeGreaterThan(4 * 20e6);
  });

  test("have one request history, of all their requests", async () => {
    states("docs/monitoring.md", "about 13 MB for 100,000 requests, which all workers write.");
    const refused = async () => (await run("requests", "list", "--status", "429")).length;
    await eventually(async () => (await refused()) === 1_500 - allowed);
  });

  test("all answer on one address", async () => {
    states(
      "docs/scaling.md",
      "on the same SQLite file and without Redis; creations and other changes still take turns.",
    );
    states("docs/scaling.md", "with `serve --workers auto`, on the same SQLite file and without Redis;");
    states("docs/running.md", "processes that share the port, on SQLite as on PostgreSQL");
    const answering = () => new Set(workers.log.filter(({ msg }) => msg === "request").map(({ pid }) => pid));
    await eventually(async () => (await ask(workers.url)) === 200 && answering().size === 3);
    expect(answering()).toEqual(new Set(workers.pids));
  });

  test("show at once what they counted for a key, also while they refuse no request of it", async () => {
    const admin = await newOperator("Bo");
    const { id, key } = await newKey("pro");
    for (let i = 0; i < 3; i++) expect(await ask(workers.url, key)).toBe(200);
    expect((await admin.get(`/admin/v1/keys/${id}`)).body.usage.minute).toMatchObject({ used: 3 });
  });

  test("allow a Free key 60 of 1,500 requests if none counts alone, and refuse it everywhere within a second once it is revoked", async () => {
    const { id, key } = await newKey("free");
    await allowedOf(1_500, key, 60);
    await run("keys", "revoke", id);
    await pause(1_000);
    const after = await Promise.all(Array.from({ length: 50 }, () => ask(workers.url, key)));
    expect(new Set(after)).toEqual(new Set([401]));
  });

  test("lose no acknowledged pet when one is killed, and give no id twice", async () => {
    const { key } = await newKey("business");
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", Connection: "close" };
    const acknowledged: number[] = [];
    const create = async (name: string) => {
      const body = JSON.stringify({ name, categoryId: 1 });
      const response = await fetch(`${workers.url}/v1/pets`, { method: "POST", headers, body }).catch(() => undefined);
      if (response?.status === 201) acknowledged.push((await response.json()).id);
    };
    const killed = workers.first;
    const creations = Array.from({ length: 300 }, async (_, i) => {
      await pause(i * 5);
      if (i === 150) process.kill(killed, "SIGKILL");
      await create(`pet ${i}`);
    });
    await Promise.all(creations);
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    const found: number[] = [];
    for (let i = 0; i < acknowledged.length; i += 100) {
      const ids = acknowledged.slice(i, i + 100).join(",");
      const response = await fetch(`${workers.url}/v1/pets?ids=${ids}`, { headers });
      for (const { id } of await response.json()) found.push(id);
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(acknowledged.toSorted((a, b) => a - b));
    await eventually(() => workers.pids.filter(isRunning).length === 3);
  });

  test("allow a key its limit and two shares of it at most while their parent hangs", async () => {
    states(
      "docs/running.md",
      "What is counted without a key, by client address, each worker counts alone, as nodes do.",
    );
    states(
      "docs/reliability.md",
      "With `--workers`, each worker is a node in what follows: the service multiplies `PETSTORE_NODES` by their number.",
    );
    states(
      "docs/running.md",
      "until it answers, a worker that knows a key's shared count uses it until the minute is over, and counts other keys alone, by the rules of nodes, and hands over what it counted.",
    );
    if (name.includes("Redis")) return;
    const { key } = await newKey("free");
    let allowed = 0;
    expect(await ask(workers.url, key)).toBe(200);
    workers.process.kill("SIGSTOP");
    try {
      const began = performance.now();
      expect(await ask(workers.url, key)).toBe(200);
      expect(performance.now() - began).toBeLessThan(besideLoad(5_000));
      const statuses = await Promise.all(Array.from({ length: 300 }, () => ask(workers.url, key)));
      allowed = 2 + statuses.filter((status) => status === 200).length;
      // A worker that knows the key's count in shared memory counts there; the others allow a tenth of the limit at once.
      expect(allowed).toBeGreaterThanOrEqual(runtime === "bun" ? 60 : 3 * 6);
      expect(allowed).toBeLessThanOrEqual(60 + 2 * 20);
    } finally {
      workers.process.kill("SIGCONT");
    }
    const logged = (start: string) => workers.log.filter(({ msg }) => msg.startsWith(start));
    // Each of them: one that still counts alone refuses more.
    await eventually(() => {
      const returned = logged("The parent process works again").length;
      return returned > 0 && returned === logged("The parent process fails").length;
    });
    const alone = logged("The parent process fails");
    // Those of each of two nodes.
    expect(new Set(alone.map(({ nodes }) => nodes))).toEqual(new Set([2 * 3]));
    // The parent has what they counted alone.
    await eventually(async () => {
      const response = await fetch(`${workers.url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
      return ((await response.json()) as { minute: { used: number } }).minute.used === allowed;
    });
    expect(await ask(workers.url, key)).toBe(allowed < 60 ? 200 : 429);
  });

  test("continue when one is killed, and replace it", async () => {
    states("docs/monitoring.md", "With `--workers`: workers that ended unexpectedly,");
    states(
      "docs/running.md",
      "A worker that ends by itself is replaced.",
      "The metric `petstore_workers_lost_total` counts what was replaced.",
    );
    const { key } = await newKey("business");
    const killed = workers.first;
    const before = await answered("200");
    const read = await metricsAt(workers.adminUrl);
    process.kill(killed, "SIGKILL");
    await eventually(() => workers.log.some(({ worker }) => worker === killed));
    const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(workers.url, key)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await eventually(() => workers.pids.filter(isRunning).length === 3);
    expect(await workers.firstKeys()).toHaveLength(1);
    // What the killed one had counted stays counted.
    expect(await answered("200")).toBe(before + 100);
    const after = await metricsAt(workers.adminUrl);
    const lost = "petstore_workers_lost_total";
    expect(after.value(lost)).toBe(read.value(lost) + 1);
    // What it had open and did not, and how many listen, is that of those that run.
    for (const name of ["petstore_workers", "process_max_fds"]) expect(after.value(name)).toBe(read.value(name));
    const ended = workers.log.findLast(({ worker }) => worker === killed)?.time ?? Number.NaN;
    // The clocks that a log, a timer and a process's start have may differ a little.
    expect(startOf(workers.pids.at(-1) ?? 0) - ended).toBeGreaterThan(900);
  });

  test("all stop on SIGTERM, within 10 s", async () => {
    const began = performance.now();
    expect(await workers.end("SIGTERM")).toBe(0);
    expect(performance.now() - began).toBeLessThan(besideLoad(10_000));
    expect(workers.pids.filter(isRunning)).toEqual([]);
    // Three that served: those that were killed had no time to say so. And the one that started them.
    expect(workers.log.filter(({ msg }) => msg === "stopped")).toHaveLength(4);
    expect(sockets()).toEqual([]);
    expect(workers.said).not.toContain("MaxListenersExceeded");
  });

  test("do not outlive their parent", async () => {
    states(
      "CHANGELOG.md",
      "Workers end with their parent, at once if it was killed; startup fails if the port is in use.",
    );
    states(
      "docs/running.md",
      "If the parent ends, however it ends, all workers end; if it was killed, they close the port at once",
    );
    const others = await startWorkers(commandFor(MAIN, runtime), 2, env());
    try {
      expect(sockets()).toHaveLength(name.includes("Redis") ? 0 : 1);
      await others.end("SIGKILL");
      await eventually(() => others.pids.filter(isRunning).length === 0);
      const at = (text: string) => others.log.filter(({ msg }) => msg === text).map(({ time }) => time);
      await eventually(() => at("stopped").length === 2);
      // Without the time in which a stop announces itself.
      expect(Math.max(...at("stopped")) - Math.min(...at("stopping"))).toBeLessThan(besideLoad(1_500));
      expect(sockets()).toEqual([]);
    } finally {
      await others.remove();
    }
  });

  test("stop in an orderly way, too, when the parent is killed that waits for an answer", async () => {
    const others = await startWorkers(commandFor(MAIN, runtime), 2, env());
    const asked = others.first;
    try {
      // It reads the parent's question, one each second, when the parent is gone.
      process.kill(asked, "SIGSTOP");
      await pause(2_000);
      await others.end("SIGKILL");
      process.kill(asked, "SIGCONT");
      await eventually(() => others.log.some(({ pid, msg }) => pid === asked && msg === "stopped"));
    } finally {
      await others.remove();
    }
  });

  test("fail to start, with the reason, when they cannot listen, and show the key of a new store nevertheless", async () => {
    const occupant = createServer().listen(0, "127.0.0.1");
    await once(occupant, "listening");
    const address = occupant.address();
    const PORT = String(typeof address === "object" ? address?.port : "");
    const isFile = dependencies.env.DATABASE_URL?.startsWith("sqlite:") === true;
    const another = isFile ? { DATABASE_URL: `sqlite:${join(TMPDIR, "new.db")}` } : {};
    try {
      const start = startWorkers(commandFor(MAIN, runtime), 2, env({ PORT, ...another }));
      // Not before all is tried: what it suggests to call would not answer.
      const shown = isFile ? "in use[^]* its first key[^]*" : "in use[^]*";
      await expect(start).rejects.toThrow(new RegExp(`${shown}a worker ended before it listened`, "i"));
    } finally {
      occupant.close();
    }
  });
});

describe("workers are refused", () => {
  let petstore: Workplace;
  beforeAll(() => {
    petstore = new Workplace();
  });
  afterAll(() => petstore.remove());

  test.each(["0", "x", "1.5", "-1", "257", ""])("for --workers '%s'", async (number) => {
    const { code, stdout, stderr } = await petstore.run(["serve", `--workers=${number}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("It must be a whole number from 1 to 256, or auto.");
  });

  // Bun's sockets may have a long path, Node's may not.
  const unusable = runtime === "bun" ? ["missing"] : ["missing", "too long"];

  test.each(unusable)("with a directory for their socket, TMPDIR, that is %s", async (fault) => {
    states("docs/running.md", "1 MB in the system's directory for temporary files, `TMPDIR`, which must be writable.");
    const TMPDIR = petstore.path(fault.padEnd(120, "."));
    if (fault !== "missing") mkdirSync(TMPDIR);
    const env = { TMPDIR, PORT: String(await freePort()), PETSTORE_ADMIN_PORT: "0" };
    const { code, stderr } = await petstore.run(["serve", "--workers", "2"], { env });
    expect(code).toBe(1);
    expect(stderr).toStartWith(
      `petstore: The workers cannot have a socket in ${TMPDIR}. Set TMPDIR to a directory that is writable and whose path is short. Reason: `,
    );
  });

  test("with port 0", async () => {
    const { code, stdout, stderr } = await petstore.run(["serve", "--workers", "2"], { env: { PORT: "0" } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith("error: Several workers need a fixed PORT");
  });
});
