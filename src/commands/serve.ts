import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { rootOf } from "../domain/deployment.ts";
import type { Issued } from "../domain/keys/administration.ts";
import { type IssuedLink, LINK_LENGTH } from "../domain/operators.ts";
import { type AdminAddress, type Config, databaseNameOf, hostInUrl } from "../wiring/config.ts";
import type { Log } from "../wiring/log.ts";
import type { Service, ServiceOptions } from "../wiring/service.ts";
import { MAX_PORT, parseText, wholeNumber } from "./options.ts";
import { formatTimeOfDay } from "./output.ts";
import {
  asRun,
  asRunInJson,
  checkDatabaseInChildProcess,
  isUnit,
  quoted,
  runInChildProcess,
  thisRuntime,
} from "./program.ts";
import { PROGRAM } from "./program-path.ts";
import { CREATE_OPTION, configWith } from "./stores.ts";
import { answerMetricsRequests, answerQuestions, parseWorkers, tellParent, WorkerMetrics, Workers } from "./workers.ts";

/** Where a service is called; `adminPort` is the actual port of the console. */
type Addresses = { baseUrl: string; admin: AdminAddress | undefined; adminPort: number | undefined };

/** A file of the checkout. Neither the executable nor the image has it. */
const SAMPLE = "samples/pets.ndjson";

/** The message of the first start: the first key, the link to the console, and what to do next. */
function welcome(key: Issued, link: IssuedLink | undefined, { baseUrl, admin, adminPort }: Addresses): string {
  const console =
    admin === undefined || adminPort === undefined ? "off" : `http://${hostInUrl(admin.host)}:${adminPort}/console`;
  return asRun(`
  This is a new store. Its first key (${key.key.plan} plan) is shown only once:

    ${key.secret}

  Try it:

    curl -H "Authorization: Bearer ${key.secret}" ${quoted(`${baseUrl}/pets`)}
${link === undefined ? "" : invitation(link, console)}
  More keys, and operators:

    petstore keys create --name "My app" --plan free
    petstore operators create --name "My name" --role admin
${existsSync(SAMPLE) ? `    petstore pets import ${quoted(resolve(SAMPLE))}\n` : ""}
  Console:    ${console}
  Docs:       ${rootOf(baseUrl)}/docs
${isUnit(process.env, process.pid) ? unitHint(baseUrl) : ""}`);
}

/** A command needs the user and the settings of the unit, which the shell of an operator has not. */
function unitHint(baseUrl: string): string {
  return `
  Commands run as the user of the unit, with its settings. The alias for that:

    ${new URL("/docs/running#with-systemd", baseUrl)}
`;
}

/** The secret is in the fragment, which browsers do not send: neither a log nor another page sees it. */
function invitation({ secret, expiresAt }: IssuedLink, console: string): string {
  return `
  Open the console as its first admin. This link works once, for ${LINK_LENGTH / 60_000} minutes, until ${formatTimeOfDay(expiresAt)}:

    ${console}#/first/${secret}
`;
}

/** Signals within this time are one, in ms: a terminal, npm and the launcher may each send it. */
const SAME_SIGNAL = 1_000;

/** What a worker has of its parent: the socket where that counts limits, unless Redis does, and the identity of its lock. */
type OfParent = { limiter?: string; lock?: string };

type ServeOptions = OfParent & {
  port?: number;
  host?: string;
  database?: string;
  workers?: number;
  worker?: boolean;
  create?: boolean;
};

export function serveCommand(): Command {
  return new Command("serve")
    .description("Run the service until SIGTERM, SIGINT or SIGHUP.")
    .option("--port <number>", "port to listen on; 0 takes any free port (default: PORT)", wholeNumber(0, MAX_PORT))
    .option("--host <address>", "address to listen on (default: HOST)", parseText)
    .option("--database <url>", "the database (default: DATABASE_URL)", parseText)
    .option("--workers <number>", "number of processes; auto: one per core", parseWorkers)
    .option(...CREATE_OPTION)
    .addOption(new Option("--worker", "run as one of the workers").hideHelp())
    .addOption(new Option("--limiter <path>", "the socket where the parent of the workers counts limits").hideHelp())
    .addOption(new Option("--lock <identity>", "the lock that the parent of the workers holds").hideHelp())
    .addHelpText("after", "\nExample:\n  petstore serve --port 9000 --database sqlite:data/petstore.db")
    .action(serve);
}

async function serve(
  { port, host, database, workers = 1, worker = false, create, ...ofParent }: ServeOptions,
  command: Command,
): Promise<void> {
  // So workers, the commands that this process starts and those that it prints have them too.
  const options = given({ PORT: port?.toString(), HOST: host, DATABASE_URL: database });
  Object.assign(process.env, options);
  const config = configWith(create);
  for (const setting of config.settings) if (setting.name in options) setting.source = "option";
  if (workers === 1) return serveHere(config, worker ? "worker" : "single", ofParent);
  if (config.port === 0) {
    command.error("error: Several workers need a fixed PORT: with 0 each would listen on another port.");
  }
  await serveWithWorkers(config, workers);
}

function given(settings: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Loads the service only here: without it the other commands start in half the time. */
async function start(config: Config, options: ServiceOptions): Promise<{ log: Log; service: Service }> {
  const [{ startService }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
  ]);
  const log = await createLog(config.logLevel, process.stdout.isTTY, asRunInJson);
  const commands = { checkDatabase: checkDatabaseInChildProcess, runCommand: runInChildProcess };
  return { log, service: await startService(config, log, await thisRuntime(), { ...commands, ...options }) };
}

async function serveHere(config: Config, role: "single" | "worker", { limiter, lock }: OfParent): Promise<void> {
  const isWorker = role === "worker";
  const { log, service } = await start(config, { role, limiterSocket: limiter, lock });
  const hasParent = () => !isWorker || process.connected;
  const stop = stopOnSignal(log, () => (hasParent() ? service.stop() : stopWithoutParent(service, limiter)));
  if (!isWorker) stopOnHangUp(stop);
  // A terminal that closes sends it to every process: the parent stops its workers, unless nohup keeps it running.
  else process.on("SIGHUP", () => {});
  const { deployment, database, admin } = config;
  const { port, baseUrl, adminPort, firstKey, firstLink } = service;
  // With 0 it is known only now, and commands that are printed have it.
  process.env.PORT = String(port);
  log.info(
    { deployment, url: baseUrl, host: config.host, port, adminPort, database: databaseNameOf(database) },
    "listening",
  );
  if (isWorker) {
    answerMetricsRequests(service.metrics);
    answerQuestions();
    // The parent may have ended before this worker listens; nothing else would stop it.
    process.on("disconnect", () => stop("disconnect"));
    if (process.connected) tellParent("listening");
    else void stop("disconnect");
  }
  if (firstKey !== undefined) process.stderr.write(welcome(firstKey, firstLink, { baseUrl, admin, adminPort }));
}

/** Stops a worker whose parent was killed: without notice, because the next start needs the port. */
async function stopWithoutParent(service: Service, limiterSocket: string | undefined): Promise<void> {
  const { removeLimiterSocket } = await import("../wiring/limits.ts");
  if (limiterSocket !== undefined) await removeLimiterSocket(limiterSocket);
  await service.stop(0);
}

/** Starts what workers have once, and the workers. */
async function serveWithWorkers(config: Config, count: number): Promise<void> {
  const { log, service: parent } = await start(config, { role: "parent" });
  const { firstKey, firstLink, baseUrl, adminPort, limiterSocket, lock } = parent;
  const metrics = new WorkerMetrics(parent.metrics);
  const environment = { ...process.env, PETSTORE_NODES: String(config.nodes * count) };
  const limiter = limiterSocket === undefined ? [] : ["--limiter", limiterSocket];
  const locked = lock === undefined ? [] : ["--lock", lock];
  const workers = new Workers([...PROGRAM, "serve", "--worker", ...limiter, ...locked], environment, log, metrics);
  const stop = async () => {
    await Promise.all([workers.stop(), parent.stopListening()]);
    await parent.stop();
  };
  stopOnHangUp(stopOnSignal(log, stop));
  try {
    await workers.start(count);
  } catch (error) {
    await workers.stop();
    await parent.stop(0);
    throw error;
  } finally {
    // It is shown once, so also after a failure; and not before what it suggests to call listens.
    if (firstKey !== undefined)
      process.stderr.write(welcome(firstKey, firstLink, { baseUrl, admin: config.admin, adminPort }));
  }
  log.info({ workers: count, adminPort }, "started");
}

/**
 * Stops and exits on SIGTERM and SIGINT, and exits at once on a second one. Returns a function that does the same for
 * another cause.
 */
function stopOnSignal(log: Log, stop: () => Promise<void>): (cause: string) => Promise<void> {
  let stoppingSince: number | undefined;
  const end = async (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < SAME_SIGNAL) return;
      log.warn({ signal }, "stopping at once");
      process.exit(1);
    }
    stoppingSince = performance.now();
    log.info({ signal }, "stopping");
    await stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  return end;
}

/** Stops on SIGHUP, unless it is ignored, as below nohup, which a listener would change. Only Linux shows whether it is. */
function stopOnHangUp(stop: (cause: string) => Promise<void>): void {
  const status = "/proc/self/status";
  const [, ignored = "0"] = existsSync(status) ? (/^SigIgn:\s*(\w+)$/m.exec(readFileSync(status, "utf8")) ?? []) : [];
  if ((BigInt(`0x${ignored}`) & 1n) === 0n) process.on("SIGHUP", stop);
}
