import { Command } from "commander";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { Author } from "../domain/audit.ts";
import { toJson } from "../domain/json.ts";
import { type Issued, KeyAdministration } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import { fixedSecret } from "../domain/keys/secret.ts";
import { type Limits, type Plan, plans } from "../domain/limits/limits.ts";
import { OperatorAdministration } from "../domain/operators.ts";
import { DEFAULT_PETS, DEFAULT_SEED, MAX_SEED, resetShop, sampleShop } from "../domain/shop.ts";
import type { Clock } from "../domain/time.ts";
import { type AdminAddress, type Config, hostInUrl, readConfig } from "../wiring/config.ts";
import type { Stores } from "../wiring/stores.ts";
import { columnsOf } from "./lists.ts";
import { MAX_PORT, wholeNumber } from "./options.ts";
import { count } from "./output.ts";
import { asRunInJson, thisRuntime } from "./program.ts";

const AUTHOR: Author = { operator: { name: "petstore demo" } };
/** Enterprise keys have custom limits. */
const ENTERPRISE: Limits = { perMinute: 10_000, perDay: 1_000_000 };

/** How many pets there are, and the seed of the sample shop. */
type DemoOptions = { pets: number; seed: number };

/** What a demo consists of. The secrets of its keys are the same in each demo. */
type Demo = { keys: Issued[]; operatorToken: string; pets: number; categories: number; orders: number };

/** Fills an empty store of staging with a sample shop, a key of each plan, and an operator. */
async function fillDemo(
  { shop, keys, operators }: Pick<Stores, "shop" | "keys" | "operators">,
  options: DemoOptions,
  clock: Clock,
): Promise<Demo> {
  const now = clock();
  const { firstPetId, ...counts } = await resetShop(shop, "staging", sampleShop({ ...options, now }), {
    by: AUTHOR,
    now,
  });
  const administration = new KeyAdministration(keys, "staging", AUTHOR);
  const create = (plan: Plan) => {
    const limits = plan === "enterprise" ? ENTERPRISE : undefined;
    const request = { name: `demo ${plan}`, plan, limits, scopes: [...scopes] };
    return administration.create(request, now, fixedSecret("staging", `demo${plan}`));
  };
  const issued = await Promise.all(plans.map(create));
  const { token } = await new OperatorAdministration(operators, AUTHOR).create("demo", "admin", now);
  return { keys: issued, operatorToken: token, ...counts };
}

/** A demo, its seed, and where it is called; `adminPort` is the actual port of the console. */
type RunningDemo = Demo & {
  seed: number;
  baseUrl: string;
  admin: AdminAddress | undefined;
  adminPort: number | undefined;
};

/** What a person needs to use a demo. */
export function demoText(demo: RunningDemo): string {
  const { baseUrl, keys, operatorToken, seed } = demo;
  const { documentation, console } = addressesOf(demo);
  const addresses = [
    ["API", baseUrl],
    ["Documentation", documentation],
    ["Console", console ?? "off"],
    ...(console === undefined ? [] : [["  token", operatorToken]]),
  ];
  const limits = keys.map(({ key, secret }) => {
    const { perMinute, perDay } = key.limits;
    return [key.plan, secret, `${perMinute.toLocaleString("en")} a minute, ${perDay.toLocaleString("en")} a day`];
  });
  const secret = keys.at(-1)?.secret;
  return `
  A pet store for staging, in memory: everything is gone when it ends.

${indented(columnsOf(addresses))}

  It has ${contentsOf(demo)}: seed ${seed} gives the same ones.

  Keys, which are the same at each start:

${indented(columnsOf(limits))}

  Try it:

    curl -H "Authorization: Bearer ${secret}" "${baseUrl}/pets?limit=3"

  See what a failure looks like:

    curl -i -H "Authorization: Bearer ${secret}" -H "Petstore-Simulate: service_unavailable" ${baseUrl}/pets

  Ctrl-C ends it.
`;
}

/** The same for a program. */
function demoJson(demo: RunningDemo): object {
  const { baseUrl, keys, operatorToken, pets, categories, orders, seed } = demo;
  return {
    url: baseUrl,
    ...addressesOf(demo),
    keys: Object.fromEntries(keys.map(({ key, secret }) => [key.plan, secret])),
    operatorToken,
    pets,
    categories,
    orders,
    seed,
  };
}

function addressesOf({ baseUrl, admin, adminPort }: RunningDemo): { documentation: string; console?: string } {
  const documentation = new URL("../docs", `${baseUrl}/`).href;
  if (admin === undefined || adminPort === undefined) return { documentation };
  return { documentation, console: `http://${hostInUrl(admin.host)}:${adminPort}/console` };
}

function contentsOf({ pets, categories, orders }: RunningDemo): string {
  return `${count(pets, ["pet", "pets"])}, ${count(categories, ["category", "categories"])} and ${count(orders, ["order", "orders"])}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}

/** More pets take seconds to add. */
const MAX_PETS = 100_000;

type DemoCommandOptions = DemoOptions & { port?: number; json?: boolean };

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
PETSTORE_ADMIN_PORT names one. Settings of the database, its backups, Redis, the
deployment and its base address are ignored.

Examples:
  petstore demo
  petstore demo --port 9000 --pets 1000 --seed 7`;

async function demo({ port, json, ...options }: DemoCommandOptions): Promise<void> {
  const config = demoConfig(port);
  // Loaded only here: the other commands need neither.
  const [{ startService }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
  ]);
  let filled: Demo | undefined;
  const { baseUrl, adminPort } = await startService(
    config,
    await createLog(config.logLevel, process.stdout.isTTY, asRunInJson),
    // No command reaches its database.
    { ...(await thisRuntime()), operatorCommand: undefined },
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
    PETSTORE_STAGING_BASE_URL: undefined,
    PETSTORE_BACKUP_EVERY: undefined,
    PETSTORE_BACKUP_S3: undefined,
    ...(port !== undefined && { PORT: String(port) }),
  });
  return { ...config, database: { engine: "sqlite", path: IN_MEMORY } };
}

/** Empty variables count as not set. */
function nonEmpty(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}
