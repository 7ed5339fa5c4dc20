import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { misspeltVariables } from "../wiring/misspelt-variables.ts";
import { completionCommand } from "./completion.ts";
import { helpCommand } from "./help.ts";
import { asRun } from "./launcher.ts";

/** The subcommands, in the order of the help. Each is loaded on demand: without the others, `serve` starts sooner. */
const subcommands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./serve.ts")).serveCommand(),
  demo: async () => (await import("./demo.ts")).demoCommand(),
  health: async () => (await import("./health.ts")).healthCommand(),
  keys: async () => (await import("./keys.ts")).keysCommand(),
  operators: async () => (await import("./operators.ts")).operatorsCommand(),
  pets: async () => (await import("./pets.ts")).petsCommand(),
  categories: async () => (await import("./categories.ts")).categoriesCommand(),
  orders: async () => (await import("./orders.ts")).ordersCommand(),
  usage: async () => (await import("./usage.ts")).usageCommand(),
  requests: async () => (await import("./requests.ts")).requestsCommand(),
  audit: async () => (await import("./audit.ts")).auditCommand(),
  database: async () => (await import("./database.ts")).databaseCommand(),
  staging: async () => (await import("./staging.ts")).stagingCommand(),
  openapi: async () => (await import("./openapi.ts")).openapiCommand(),
  completion: async () => completionCommand(),
  help: async () => helpCommand(),
};

/** These read the whole tree of commands. */
const OF_ALL = ["completion", "help"];

const HELP = `
Examples:
  petstore serve
  petstore demo
  petstore keys create --name "My app" --plan free
  petstore pets import samples/pets.ndjson
  petstore database backup backups/petstore.db

Configuration comes from environment variables, which the README lists.`;

/**
 * The `petstore` command with the subcommand of this name; with all of them for another word, for the help and for
 * suggestions. They throw CommanderError instead of exiting.
 */
export async function petstoreCommand(name = "help"): Promise<Command> {
  const petstore = new Command("petstore")
    .description("The Petstore service and its administration.")
    .version(manifest.version, "--version", "print the version")
    .addHelpText("after", HELP)
    .hook("preAction", warnOfMisspeltVariables);
  const isOne = Object.hasOwn(subcommands, name) && !OF_ALL.includes(name);
  const needed = Object.entries(subcommands).filter(([other]) => other === name || !isOne);
  for (const subcommand of await Promise.all(needed.map(([, load]) => load()))) petstore.addCommand(subcommand);
  prepare(petstore);
  return petstore;
}

/** Warns once: a worker has the environment of its parent. Values may be secrets, and are not printed. */
function warnOfMisspeltVariables(_: Command, command: Command): void {
  if (command.getOptionValue("worker") === true) return;
  for (const { name, closest } of misspeltVariables(process.env)) {
    process.stderr.write(`petstore: ${name} is not a setting. Did you mean ${closest}?\n`);
  }
}

/** What commander prints names commands as the operator runs them. */
const output = {
  writeOut: (text: string) => void process.stdout.write(asRun(text)),
  writeErr: (text: string) => void process.stderr.write(asRun(text)),
};

function prepare(command: Command): void {
  command.configureOutput(output).exitOverride().showHelpAfterError("(see --help)");
  for (const subcommand of command.commands) prepare(subcommand);
}
