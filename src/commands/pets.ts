import { Command } from "commander";
import { deleteCommand } from "./pets/delete.ts";
import { exportCommand } from "./pets/export.ts";
import { importCommand } from "./pets/import.ts";
import { listCommand } from "./pets/list.ts";
import { showCommand } from "./pets/show.ts";
import { updateCommand } from "./pets/update.ts";

export function petsCommand(): Command {
  return new Command("pets")
    .description("List, change, remove, import and export pets. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
