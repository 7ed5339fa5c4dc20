import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { completionCommand } from "./completion.ts";
import { databaseCommand } from "./database.ts";
import { healthCommand } from "./health.ts";
import { keysCommand } from "./keys.ts";
import { openapiCommand } from "./openapi.ts";
import { operatorsCommand } from "./operators.ts";
import { petsCommand } from "./pets.ts";
import { serveCommand } from "./serve.ts";

const HELP = `
Examples:
  petstore serve
  petstore keys create --name "My app" --plan free
  petstore pets import samples/pets.ndjson
  petstore database backup backups/petstore.db

Settings come from the environment; the README lists them. In a checkout, run npx petstore.`;

/** The `petstore` command with all its subcommands. Instead of exiting, they throw CommanderError. */
export function petstoreCommand(): Command {
  const petstore = new Command("petstore")
    .description("The pet store service, and the commands that operate it.")
    .version(manifest.version, "--version", "print the version")
    .addCommand(serveCommand())
    .addCommand(healthCommand())
    .addCommand(keysCommand())
    .addCommand(operatorsCommand())
    .addCommand(petsCommand())
    .addCommand(databaseCommand())
    .addCommand(openapiCommand())
    .addCommand(completionCommand())
    .addHelpText("after", HELP);
  prepare(petstore);
  return petstore;
}

function prepare(command: Command): void {
  command.exitOverride().showHelpAfterError("(--help says more)");
  for (const subcommand of command.commands) prepare(subcommand);
}
