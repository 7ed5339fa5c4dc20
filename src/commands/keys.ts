import { Command } from "commander";
import { createCommand } from "./keys/create.ts";
import { disableCommand } from "./keys/disable.ts";
import { enableCommand } from "./keys/enable.ts";
import { endGraceCommand } from "./keys/end-grace.ts";
import { listCommand } from "./keys/list.ts";
import { renameCommand } from "./keys/rename.ts";
import { revokeCommand } from "./keys/revoke.ts";
import { rotateCommand } from "./keys/rotate.ts";
import { setNoteCommand } from "./keys/set-note.ts";
import { setOwnerCommand } from "./keys/set-owner.ts";
import { setPlanCommand } from "./keys/set-plan.ts";
import { setScopesCommand } from "./keys/set-scopes.ts";
import { showCommand } from "./keys/show.ts";
import { simulateCommand } from "./keys/simulate.ts";
import { unbanCommand } from "./keys/unban.ts";

export function keysCommand(): Command {
  return new Command("keys")
    .description("Create, list, change and revoke API keys. A running service applies each change within a second.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(renameCommand())
    .addCommand(setOwnerCommand())
    .addCommand(setNoteCommand())
    .addCommand(setPlanCommand())
    .addCommand(setScopesCommand())
    .addCommand(rotateCommand())
    .addCommand(endGraceCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(revokeCommand())
    .addCommand(unbanCommand())
    .addCommand(simulateCommand());
}
