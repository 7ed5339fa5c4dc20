import { Command } from "commander";
import {
  createCommand,
  disableCommand,
  enableCommand,
  endGraceCommand,
  renameCommand,
  revokeCommand,
  rotateCommand,
  setNoteCommand,
  setOwnerCommand,
  setPlanCommand,
  setScopesCommand,
  simulateCommand,
  unbanCommand,
} from "./keys/change.ts";
import { listCommand, showCommand } from "./keys/show.ts";

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
