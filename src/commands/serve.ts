import { existsSync, readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { type Config, nameOf } from "../wiring/config.ts";
import type { Log } from "../wiring/log.ts";
import type { Service } from "../wiring/service.ts";
import type { WorkerOptions } from "../wiring/service-options.ts";
import { checkDatabaseInChildProcess } from "./check-database.ts";
import { runInChildProcess } from "./child-process.ts";
import { PROGRAM } from "./program.ts";
import { thisRuntime } from "./runtime.ts";
import { CREATE_OPTION, configWith } from "./stores.ts";
import { welcome } from "./welcome.ts";
import { answerQuestions } from "./worker-watch.ts";
import { parseWorkers, Workers } from "./workers.ts";

/** Signals within this time are one, in ms: a terminal, npm and the launcher may each send it. */
const SAME_SIGNAL = 1_000;

type Options = { workers?: number; worker?: boolean; limiter?: string; create?: boolean };

export function serveCommand(): Command {
  return new Command("serve")
    .description("Run the service until SIGTERM, SIGINT or SIGHUP.")
    .option("--workers <number>", "number of processes; auto: one per core", parseWorkers)
    .option(...CREATE_OPTION)
    .addOption(new Option("--worker", "run as one of the workers").hideHelp())
    .addOption(new Option("--limiter <path>", "the socket where the parent of the workers counts limits").hideHelp())
    .addHelpText("after", "\nExample:\n  PORT=9000 DATABASE_URL=sqlite:data/petstore.db petstore serve")
    .action(serve);
}

async function serve({ workers = 1, worker = false, limiter, create }: Options, command: Command): Promise<void> {
  const config = configWith(create);
  if (workers === 1) return serveHere(config, worker ? { limiterSocket: limiter } : undefined);
  if (config.port === 0) {
    command.error("error: Several workers need a fixed PORT: with 0 each would listen on another port.");
  }
  await serveWithWorkers(config, workers);
}

async function serveHere(config: Config, worker: WorkerOptions | undefined): Promise<void> {
  // Loaded only here: without the service the other commands start in half the time.
  const [{ startService }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
  ]);
  const log = await createLog(config.logLevel, process.stdout.isTTY);
  const service = await startService(config, log, await thisRuntime(), {
    worker,
    checkDatabase: checkDatabaseInChildProcess,
    runCommand: runInChildProcess,
  });
  const hasParent = () => worker === undefined || process.connected;
  const stop = stopOnSignal(log, () => (hasParent() ? service.stop() : stopWithoutParent(service, worker)));
  if (worker === undefined) stopOnHangUp(stop);
  // A terminal that closes sends it to every process: the parent stops its workers, unless nohup keeps it running.
  else process.on("SIGHUP", () => {});
  const { deployment, database, admin } = config;
  const { port, baseUrl, adminPort, firstKey, firstLink } = service;
  log.info({ deployment, url: baseUrl, host: config.host, port, adminPort, database: nameOf(database) }, "listening");
  if (worker !== undefined) {
    const { answerMetricsRequests } = await import("./worker-metrics.ts");
    answerMetricsRequests(service.metrics);
    answerQuestions();
    // The parent may have ended before this worker listens; nothing else would stop it.
    process.on("disconnect", () => stop("disconnect"));
    if (process.connected) process.send?.("listening");
    else void stop("disconnect");
  }
  if (firstKey !== undefined) process.stderr.write(welcome(firstKey, firstLink, { baseUrl, admin, adminPort }));
}

/** Stops a worker whose parent was killed: without notice, because the next start needs the port. */
async function stopWithoutParent(service: Service, worker: WorkerOptions = {}): Promise<void> {
  const { removeLimiterSocket } = await import("../wiring/limiter-socket.ts");
  if (worker.limiterSocket !== undefined) await removeLimiterSocket(worker.limiterSocket);
  await service.stop(0);
}

/** Starts what workers have once, and the workers. */
async function serveWithWorkers(config: Config, count: number): Promise<void> {
  const [{ startParent }, { newMetrics }, { WorkerMetrics }, { createLog }] = await Promise.all([
    import("../wiring/parent.ts"),
    import("../wiring/instrumentation.ts"),
    import("./worker-metrics.ts"),
    import("../wiring/log.ts"),
  ]);
  const log = await createLog(config.logLevel, process.stdout.isTTY);
  const runtime = await thisRuntime();
  const own = newMetrics(config.deployment, runtime);
  const metrics = new WorkerMetrics(own);
  const parent = await startParent(config, log, runtime, {
    metrics: own,
    text: () => metrics.text(),
    checkDatabase: checkDatabaseInChildProcess,
    runCommand: runInChildProcess,
  });
  const { firstKey, firstLink, adminPort, limiterSocket } = parent;
  const environment = { ...process.env, PETSTORE_NODES: String(config.nodes * count) };
  const limiter = limiterSocket === undefined ? [] : ["--limiter", limiterSocket];
  const workers = new Workers([...PROGRAM, "serve", "--worker", ...limiter], environment, log, metrics);
  const stop = async () => {
    await Promise.all([workers.stop(), parent.stopListening()]);
    await parent.stop();
  };
  stopOnHangUp(stopOnSignal(log, stop));
  const addresses = {
    baseUrl: config.baseUrls[config.deployment],
    admin: config.admin,
    adminPort,
  };
  try {
    await workers.start(count);
  } catch (error) {
    await workers.stop();
    await parent.stop();
    throw error;
  } finally {
    // It is shown once, so also after a failure; and not before what it suggests to call listens.
    if (firstKey !== undefined) process.stderr.write(welcome(firstKey, firstLink, addresses));
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
