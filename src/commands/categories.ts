import { Command } from "commander";
import { exportCommand } from "./categories/export.ts";
import { importCommand } from "./categories/import.ts";
import { listCommand } from "./categories/list.ts";

export function categoriesCommand(): Command {
  return new Command("categories")
    .description("List, import and export categories. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
