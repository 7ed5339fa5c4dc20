import { Command, Option } from "commander";
import type { Issued } from "../domain/keys/administration.ts";
import { type Config, hostInUrl, nameOf, readConfig } from "../wiring/config.ts";
import type { Log } from "../wiring/log.ts";
import { openStores } from "../wiring/open-stores.ts";
import { PROGRAM } from "./program.ts";
import { obstacleToWorkers, parseWorkers, Workers } from "./workers.ts";

type Options = { workers?: number; worker?: boolean };

export function serveCommand(): Command {
  return new Command("serve")
    .description("Run the service until SIGTERM or SIGINT.")
    .option(
      "--workers <number>",
      "how many processes serve; auto: one for each core (needs PostgreSQL and Redis)",
      parseWorkers,
    )
    .addOption(new Option("--worker", "be one of them").hideHelp())
    .addHelpText("after", "\nExample:\n  PORT=9000 DATABASE_URL=sqlite:data/petstore.db petstore serve")
    .action(serve);
}

async function serve({ workers = 1, worker = false }: Options, command: Command): Promise<void> {
  const config = readConfig(process.env);
  if (workers === 1) return serveAlone(config, worker);
  const obstacle = obstacleToWorkers(config);
  if (obstacle !== undefined) command.error(`error: ${obstacle}`);
  await serveTogether(config, workers);
}

async function serveAlone(config: Config, isShared: boolean): Promise<void> {
  // Loaded only here: the other commands start in half the time without the service.
  const [{ startService }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
  ]);
  const log = createLog(config.logLevel, process.stdout.isTTY);
  const service = await startService(config, log, { isShared });
  const end = endOnSignal(log, () => service.stop());
  const { deployment, database } = config;
  const url = config.baseUrls[deployment];
  const { port, adminPort } = service;
  log.info({ deployment, url, host: config.host, port, adminPort, database: nameOf(database) }, "listening");
  if (isShared) {
    const { reportMetrics } = await import("./worker-metrics.ts");
    reportMetrics(service.metrics);
    process.send?.("listening");
    // Whoever started this worker is gone, however that came about: nobody else would ever stop it.
    process.on("disconnect", () => end("disconnect"));
  }
  if (service.firstKey !== undefined) console.error(welcome(service.firstKey, config, adminPort));
}

/** Prepares the database once, and leaves serving to workers. */
async function serveTogether(config: Config, count: number): Promise<void> {
  const [{ createFirstKey, metricsOf, startAdministration }, { WorkerMetrics }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("./worker-metrics.ts"),
    import("../wiring/log.ts"),
  ]);
  const log = createLog(config.logLevel, process.stdout.isTTY);
  const stores = await openStores(config, () => {});
  const firstKey = await createFirstKey(stores, config);
  await stores.close();
  const environment = { ...process.env, PETSTORE_NODES: String(config.nodes * count) };
  const metrics = new WorkerMetrics(metricsOf(config));
  const workers = new Workers([...PROGRAM, "serve", "--worker"], environment, log, metrics);
  const administration = await startAdministration(config, log, () => metrics.text());
  endOnSignal(log, async () => {
    await workers.stop();
    await administration.stop();
  });
  if (firstKey !== undefined) console.error(welcome(firstKey, config, administration.adminPort));
  await workers.start(count).catch(async (error) => {
    await workers.stop();
    await administration.stop();
    throw error;
  });
  log.info({ workers: count, adminPort: administration.adminPort }, "started");
}

/** Gives what ends it for another cause. */
function endOnSignal(log: Log, stop: () => Promise<void>): (cause: string) => Promise<void> {
  const end = async (signal: string) => {
    log.info({ signal }, "stopping");
    await stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  return end;
}

/** Told once, on standard error beside the log, on the very first start. */
function welcome({ key, secret }: Issued, config: Config, adminPort: number | undefined): string {
  const { admin } = config;
  const console =
    admin === undefined || adminPort === undefined ? "off" : `http://${hostInUrl(admin.host)}:${adminPort}/console`;
  return `
  This is a new store, so here is its first key (${key.plan} plan). It is shown only now:

    ${secret}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${config.baseUrls[config.deployment]}/pets

  More keys:  npx petstore keys create --name "My app" --plan free
  Some pets:  npx petstore pets import samples/pets.ndjson
  Operators:  npx petstore operators create --name "My name" --role admin
  Console:    ${console}
`;
}
