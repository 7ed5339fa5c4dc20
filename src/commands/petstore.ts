import { Command } from "commander";
import { serveCommand } from "./serve.ts";

/** The `petstore` command with all its subcommands. */
export function petstoreCommand(): Command {
  return new Command("petstore")
    .description("The pet store service and what operates it. Settings come from the environment; see the README.")
    .showHelpAfterError("(--help says more)")
    .addCommand(serveCommand());
}
