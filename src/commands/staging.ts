import { Command } from "commander";
import { resetCommand } from "./staging/reset.ts";

export function stagingCommand(): Command {
  return new Command("staging").description("Reset staging to sample data.").addCommand(resetCommand());
}
