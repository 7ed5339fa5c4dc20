import { Command } from "commander";
import { type Config, nameOf, readConfig } from "../config.ts";
import type { Issued } from "../keys/administration.ts";

export function serveCommand(): Command {
  return new Command("serve")
    .description("Run the service until SIGTERM or SIGINT.")
    .addHelpText("after", "\nExample:\n  PORT=8081 DATABASE_URL=sqlite:data/petstore.db petstore serve")
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  // Loaded only here: the other commands start in half the time without the service.
  const [{ startService }, { createLog }] = await Promise.all([import("../service.ts"), import("../log.ts")]);
  const log = createLog(config.logLevel, process.stdout.isTTY);
  const service = await startService(config, log);
  const stop = async (signal: string) => {
    log.info({ signal }, "stopping");
    await service.stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  const { deployment, database } = config;
  const url = config.baseUrls[deployment];
  log.info({ deployment, url, host: config.host, port: service.port, database: nameOf(database) }, "listening");
  if (service.firstKey !== undefined) console.error(welcome(service.firstKey, config));
}

/** Told once, on standard error beside the log, on the very first start. */
function welcome({ key, secret }: Issued, config: Config): string {
  return `
  This is a new store, so here is its first key (${key.plan} plan). It is shown only now:

    ${secret}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${config.baseUrls[config.deployment]}/pets

  More keys:  npx petstore keys create --name "My app" --plan free
  Some pets:  npx petstore pets import samples/pets.ndjson
`;
}
