import { Command } from "commander";

/** `petstore help`, for subcommands too: commander's own looks no deeper than the first word. */
export function helpCommand(): Command {
  return new Command("help")
    .description("Print the help of a command.")
    .argument("[command...]", "the command, such as orders approve")
    .addHelpText("after", "\nExample:\n  petstore help orders approve")
    .action(help);
}

function help(path: string[], _: object, command: Command): void {
  let found = command.parent ?? command;
  for (const name of path) {
    found =
      found.commands.find((subcommand) => subcommand.name() === name) ??
      command.error(`error: unknown command '${path.join(" ")}'`);
  }
  found.help();
}
