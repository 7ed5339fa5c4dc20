import { Command } from "commander";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import { toJson } from "../domain/json/write.ts";
import { DEFAULT_PETS, DEFAULT_SEED, MAX_SEED } from "../domain/shop/sample-shop.ts";
import { type Config, readConfig } from "../wiring/config.ts";
import type { Demo, DemoOptions } from "../wiring/demo.ts";
import { demoJson, demoText } from "./demo/text.ts";
import { wholeNumber } from "./options.ts";
import { thisRuntime } from "./runtime.ts";

/** More pets take seconds to add. */
const MAX_PETS = 100_000;
const MAX_PORT = 65_535;

type Options = DemoOptions & { port?: number; json?: boolean };

export function demoCommand(): Command {
  return new Command("demo")
    .description("Run a staging service in memory, with sample pets, orders and keys, until SIGTERM or SIGINT.")
    .option(
      "--port <number>",
      "port to listen on; 0 takes any free port (default: PORT, or 8090)",
      wholeNumber(0, MAX_PORT),
    )
    .option("--pets <number>", "number of pets", wholeNumber(0, MAX_PETS), DEFAULT_PETS)
    .option("--seed <number>", "the same seed gives the same data", wholeNumber(0, MAX_SEED), DEFAULT_SEED)
    .option("--json", "print the addresses, the keys and the operator's token as one line of JSON")
    .addHelpText("after", HELP)
    .action(demo);
}

const HELP = `
Nothing is on disk, and everything is gone when the demo ends. The keys are
the same at each start. The console listens on any free port, unless
PETSTORE_ADMIN_PORT names one. Settings of the database, of Redis and of the
deployment are ignored.

Examples:
  petstore demo
  petstore demo --port 9000 --pets 1000 --seed 7`;

async function demo({ port, json, ...options }: Options): Promise<void> {
  const config = demoConfig(port);
  // Loaded only here: the other commands need neither.
  const [{ startService }, { createLog }, { fillDemo }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
    import("../wiring/demo.ts"),
  ]);
  let filled: Demo | undefined;
  const { baseUrl, adminPort } = await startService(
    config,
    await createLog(config.logLevel, process.stdout.isTTY),
    await thisRuntime(),
    {
      portRemedy: "Use --port with another port, or 0 for any free one.",
      fill: async (stores) => {
        filled = await fillDemo(stores, options, Date.now);
      },
    },
  );
  // Nothing is to be saved, and nobody waits for what is in flight.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));
  if (filled === undefined) return;
  const running = { ...filled, seed: options.seed, baseUrl, admin: config.admin, adminPort };
  process.stdout.write(json ? `${toJson(demoJson(running))}\n` : demoText(running));
}

/** The configuration that the environment gives, with a database in memory, and warnings as the only log. */
function demoConfig(port: number | undefined): Config {
  const config = readConfig({
    PETSTORE_ADMIN_PORT: "0",
    PETSTORE_LOG_LEVEL: "warn",
    ...nonEmpty(process.env),
    PETSTORE_DEPLOYMENT: "staging",
    DATABASE_URL: undefined,
    REDIS_URL: undefined,
    ...(port !== undefined && { PORT: String(port) }),
  });
  return { ...config, database: { engine: "sqlite", path: IN_MEMORY } };
}

/** Empty variables count as not set. */
function nonEmpty(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}
