import { Command } from "commander";
import { createCommand } from "./keys/create.ts";
import { listCommand } from "./keys/list.ts";
import { revokeCommand } from "./keys/revoke.ts";
import { rotateCommand } from "./keys/rotate.ts";
import { setPlanCommand } from "./keys/set-plan.ts";
import { showCommand } from "./keys/show.ts";
import { unbanCommand } from "./keys/unban.ts";

export function keysCommand(): Command {
  return new Command("keys")
    .description(
      "Create, list, change and revoke API keys. A running service applies each change with its next request.",
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(setPlanCommand())
    .addCommand(unbanCommand());
}
