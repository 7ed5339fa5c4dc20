import { Command } from "commander";
import { deleteCommand } from "./categories/delete.ts";
import { exportCommand } from "./categories/export.ts";
import { importCommand } from "./categories/import.ts";
import { listCommand } from "./categories/list.ts";
import { renameCommand } from "./categories/rename.ts";
import { showCommand } from "./categories/show.ts";

export function categoriesCommand(): Command {
  return new Command("categories")
    .description("List, rename, remove, import and export categories. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(renameCommand())
    .addCommand(deleteCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
