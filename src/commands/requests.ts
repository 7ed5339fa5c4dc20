import { Command } from "commander";
import { listCommand } from "./requests/list.ts";
import { showCommand } from "./requests/show.ts";

export function requestsCommand(): Command {
  return new Command("requests")
    .description("Search the requests that the service has answered lately. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand());
}
