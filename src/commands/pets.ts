import { Command } from "commander";
import { exportCommand } from "./pets/export.ts";
import { importCommand } from "./pets/import.ts";

export function petsCommand(): Command {
  return new Command("pets")
    .description("Import and export pets. Works while the service runs.")
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
