import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { misspeltVariables } from "../wiring/misspelt-variables.ts";
import { auditCommand } from "./audit.ts";
import { categoriesCommand } from "./categories.ts";
import { completionCommand } from "./completion.ts";
import { databaseCommand } from "./database.ts";
import { demoCommand } from "./demo.ts";
import { healthCommand } from "./health.ts";
import { helpCommand } from "./help.ts";
import { keysCommand } from "./keys.ts";
import { asRun } from "./launcher.ts";
import { openapiCommand } from "./openapi.ts";
import { operatorsCommand } from "./operators.ts";
import { ordersCommand } from "./orders.ts";
import { petsCommand } from "./pets.ts";
import { requestsCommand } from "./requests.ts";
import { serveCommand } from "./serve.ts";
import { stagingCommand } from "./staging.ts";
import { usageCommand } from "./usage.ts";

const HELP = `
Examples:
  petstore serve
  petstore demo
  petstore keys create --name "My app" --plan free
  petstore pets import samples/pets.ndjson
  petstore database backup backups/petstore.db

Configuration comes from environment variables, which the README lists.`;

/** The `petstore` command with all subcommands. They throw CommanderError instead of exiting. */
export function petstoreCommand(): Command {
  const petstore = new Command("petstore")
    .description("The Petstore service and its administration.")
    .version(manifest.version, "--version", "print the version")
    .addCommand(serveCommand())
    .addCommand(demoCommand())
    .addCommand(healthCommand())
    .addCommand(keysCommand())
    .addCommand(operatorsCommand())
    .addCommand(petsCommand())
    .addCommand(categoriesCommand())
    .addCommand(ordersCommand())
    .addCommand(usageCommand())
    .addCommand(requestsCommand())
    .addCommand(auditCommand())
    .addCommand(databaseCommand())
    .addCommand(stagingCommand())
    .addCommand(openapiCommand())
    .addCommand(completionCommand())
    .addCommand(helpCommand())
    .addHelpText("after", HELP)
    .hook("preAction", warnOfMisspeltVariables);
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
