import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Redis } from "ioredis";
import pino from "pino";
import { thisRuntime } from "../../src/commands/program.ts";
import { StartupError } from "../../src/domain/errors.ts";
import { LINK_LENGTH } from "../../src/domain/operators.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { createLog } from "../../src/wiring/log.ts";
import { startService } from "../../src/wiring/service.ts";
import { migrateStores } from "../../src/wiring/stores.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { temporaryDirectory } from "../support/temporary.ts";

let directory = "";
let port = 0;
let taken: Server;
beforeEach(async () => {
  directory = temporaryDirectory();
  port = await freePort();
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
});
afterEach(() => {
  taken.close();
  rmSync(directory, { recursive: true, force: true });
});

const path = () => join(directory, "petstore.db");
const takenPort = () => (taken.address() as AddressInfo).port;
const log = await createLog("silent", false);

function configOf(env: Record<string, string>) {
  const usual = { PORT: String(port), PETSTORE_ADMIN_PORT: "0", DATABASE_URL: `sqlite:${path()}` };
  return readConfig({ ...usual, ...env });
}

const start = async (env: Record<string, string>) => startService(configOf(env), log, await thisRuntime());

/** The error that a start fails with. */
async function failureOf(starting: Promise<{ stop(): Promise<void> }>): Promise<unknown> {
  const [result] = await Promise.allSettled([starting]);
  if (result.status === "rejected") return result.reason;
  await result.value.stop();
  throw new Error("it started");
}

/** Whether this process has a file of the database open. */
function hasDatabaseOpen(): boolean {
  return readdirSync("/proc/self/fd").some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path());
    } catch {
      return false; // the one that read the directory
    }
  });
}

async function expectNothingOpen(): Promise<void> {
  expect(hasDatabaseOpen()).toBe(false);
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
}

describe("a start that fails closes what it has opened:", () => {
  test("the database, when it cannot be used", async () => {
    writeFileSync(path(), "This is no database. ".repeat(1_000));
    expect(await failureOf(start({}))).toBeInstanceOf(StartupError);
    await expectNothingOpen();
  });

  test("the database, when the port is taken", async () => {
    const error = await failureOf(start({ PORT: String(takenPort()) }));
    expect(error).toBeInstanceOf(StartupError);
    expect(String(error)).toContain(`cannot listen on 127.0.0.1:${takenPort()}. Set PORT to another port.`);
    await expectNothingOpen();
  });

  test("the listener too, when the port of the administration interface is taken", async () => {
    const error = await failureOf(start({ PETSTORE_ADMIN_PORT: String(takenPort()) }));
    expect(error).toBeInstanceOf(StartupError);
    expect(String(error)).toContain("Set PETSTORE_ADMIN_PORT to another port, or to off.");
    await expectNothingOpen();
  });

  test("both listeners, when the first key cannot be written", async () => {
    const adminPort = await freePort();
    await migrateStores(configOf({}));
    const database = new DatabaseSync(path());
    database.exec("CREATE TRIGGER refuse BEFORE INSERT ON keys BEGIN SELECT RAISE(ABORT, 'refused'); END");
    database.close();
    const error = await failureOf(start({ PETSTORE_ADMIN_PORT: String(adminPort) }));
    expect(error).toMatchObject({ code: "service_unavailable" });
    await expectNothingOpen();
    await expect(fetch(`http://127.0.0.1:${adminPort}/livez`)).rejects.toThrow();
  });

  test("the database, in the parent of workers", async () => {
    const config = configOf({ PETSTORE_ADMIN_PORT: String(takenPort()) });
    const starting = startService(config, log, await thisRuntime(), { role: "parent" });
    expect(await failureOf(starting)).toBeInstanceOf(StartupError);
    await expectNothingOpen();
  });
});

describe.each(runtimes)("on %s, a start names the setting", (runtime) => {
  const REASONS = [
    ["nosuch.invalid", "ENOTFOUND"],
    ["192.0.2.1", "EADDRNOTAVAIL"],
  ];
  const cases = ["HOST", "PETSTORE_ADMIN_HOST"].flatMap((name) => REASONS.map((reason) => [name, ...reason]));

  test.each(cases)("%s, when it cannot listen on %s: %s", (name = "", host = "", reason = "") => {
    const [program, ...args] = commandFor(MAIN, runtime);
    const usual = { PATH: process.env.PATH, PORT: "0", PETSTORE_ADMIN_PORT: "0", DATABASE_URL: `sqlite:${path()}` };
    const { status, stderr } = spawnSync(program, [...args, "serve"], { env: { ...usual, [name]: host } });
    expect(status).toBe(1);
    expect(String(stderr)).toMatch(
      new RegExp(`:0\\. Set ${name} to an address of this machine\\. Reason: .*${reason}.*\\n$`),
    );
  });
});

test.each([
  ["EACCES", "Set PORT to another port."],
  ["EADDRINUSE", "Set PORT to another port."],
  ["EADDRNOTAVAIL", "Set HOST to an address of this machine."],
])("a start that the system refuses with %s says: %s", async (code, remedy) => {
  const refused = Object.assign(new Error(`listen ${code}: it may not`), { code });
  const runtime = { ...(await thisRuntime()), listen: () => Promise.reject(refused) };
  const error = await failureOf(startService(configOf({}), log, runtime));
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toEndWith(
    `The service cannot listen on 127.0.0.1:${port}. ${remedy} Reason: listen ${code}: it may not`,
  );
  await expectNothingOpen();
});

test("a start after a failed one succeeds, at the same address", async () => {
  await failureOf(start({ PETSTORE_ADMIN_PORT: String(takenPort()) }));
  const service = await start({});
  expect(service.firstKey).toBeDefined();
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  await Promise.all([service.stop(), service.stop()]);
  await expectNothingOpen();
});

test.each<[string, string[]]>([
  ["one process", []],
  ["workers", ["--workers", "2"]],
])("the first start of %s says what to do next, and no later one does", async (_, options) => {
  states(
    "docs/administration.md",
    "The first start of a store prints a link to standard error, beside the first key.",
    "No later start prints another link",
  );
  const [program, ...args] = commandFor(MAIN);
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    PETSTORE_ADMIN_PORT: String(await freePort()),
    DATABASE_URL: `sqlite:${path()}`,
  };
  const saidBy = async () => {
    const child = spawn(program, [...args, "serve", ...options], { cwd: directory, env });
    let [printed, said] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await eventually(() => printed.includes(options.length === 0 ? '"msg":"listening"' : '"msg":"started"'));
    const ended = once(child, "close");
    child.kill();
    await ended;
    return said;
  };
  const before = Date.now();
  const said = await saidBy();
  const after = Date.now();
  const partOf = (pattern: RegExp) => pattern.exec(said)?.[1] ?? "";
  const secret = partOf(/^ {4}(pets_live_\w+)$/m);
  const link = partOf(/#\/first\/(pets_link_\w+)$/m);
  const until = partOf(/until (\d\d:\d\dZ):$/m);
  const minute = (time: number) => `${new Date(time).toISOString().slice(11, 16)}Z`;
  expect([minute(before + LINK_LENGTH), minute(after + LINK_LENGTH)]).toContain(until);
  // The commands are shown as they run here, with the settings of this store.
  expect(said.replaceAll(/(?<=^ {4})\S.*(?= (keys|operators) create)/gm, "petstore")).toBe(`
  This is a new store. Its first key (business plan) is shown only once:

    ${secret}

  Try it:

    curl -H "Authorization: Bearer ${secret}" http://127.0.0.1:${port}/v1/pets

  Open the console as its first admin. This link works once, for 15 minutes, until ${until}:

    http://127.0.0.1:${env.PETSTORE_ADMIN_PORT}/console#/first/${link}

  More keys, and operators:

    petstore keys create --name "My app" --plan free
    petstore operators create --name "My name" --role admin

  Console:    http://127.0.0.1:${env.PETSTORE_ADMIN_PORT}/console
  Docs:       http://127.0.0.1:${port}/docs
`);
  expect(await saidBy()).toBe("");
});

test.each([
  ["production", "PETSTORE_BASE_URL"],
  ["staging", "PETSTORE_STAGING_BASE_URL"],
])("on %s, a service that listens on every address asks for %s, until that is set", async (deployment, setting) => {
  states(
    "docs/monitoring.md",
    "`links lead clients of other machines to themselves: set PETSTORE_BASE_URL` | warn | `HOST` is every address of the machine, and no base address is set (on staging `PETSTORE_STAGING_BASE_URL`)",
  );
  const asked = async (env: Record<string, string>, role: "single" | "parent" | "worker" = "single") => {
    const lines: string[] = [];
    const collecting = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    const config = configOf({ HOST: "0.0.0.0", PETSTORE_DEPLOYMENT: deployment, ...env });
    await (await startService(config, collecting, await thisRuntime(), { role })).stop(0);
    return lines;
  };
  expect(await asked({})).toEqual([`links lead clients of other machines to themselves: set ${setting}`]);
  expect(await asked({ [setting]: "https://pets.example.com/v1" })).toEqual([]);
  // Of several processes it is the parent that says so, once.
  expect(await asked({}, "parent")).toEqual(await asked({}));
  expect(await asked({}, "worker")).toEqual([]);
});

describe.skipIf(!hasRedis)("with PostgreSQL and Redis, a start that fails leaves no connection open:", () => {
  let postgres: Postgres;
  let redis: RedisServer;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([postgres.remove(), redis.remove()]);
  });

  const shared = () => ({ DATABASE_URL: postgres.url, REDIS_URL: redis.url });

  const areConnectionsClosed = async () => {
    const [row] = await postgres.query(
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'petstore'",
    );
    const client = new Redis(redis.url);
    const clients = String(await client.client("LIST"))
      .trim()
      .split("\n");
    client.disconnect();
    return row?.open === 0 && clients.length === 1;
  };

  test("when the port of the administration interface is taken", async () => {
    const error = await failureOf(start({ ...shared(), PETSTORE_ADMIN_PORT: String(takenPort()) }));
    expect(error).toBeInstanceOf(StartupError);
    await eventually(areConnectionsClosed);
  });

  test("when the first key cannot be written", async () => {
    await migrateStores(configOf(shared()));
    await postgres.query(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
    );
    await postgres.query("CREATE TRIGGER refuse BEFORE INSERT ON petstore.keys FOR EACH ROW EXECUTE FUNCTION refuse()");
    expect(await failureOf(start(shared()))).toMatchObject({ code: "service_unavailable" });
    await eventually(areConnectionsClosed);
  });

  test("when the database is from a newer version", async () => {
    await postgres.query("INSERT INTO petstore.migrations (version) VALUES (1000)");
    expect(await failureOf(start(shared()))).toBeInstanceOf(StartupError);
    await eventually(areConnectionsClosed);
  });
});
