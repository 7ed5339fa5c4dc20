import { Command } from "commander";
import { createCommand } from "./operators/create.ts";
import { listCommand } from "./operators/list.ts";
import { revokeCommand } from "./operators/revoke.ts";

export function operatorsCommand(): Command {
  return new Command("operators")
    .description("Create, list and revoke operators of the administration interface and the console.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}
