import { Command } from "commander";
import { changeCommands } from "./orders/change.ts";
import { exportCommand } from "./orders/export.ts";
import { listCommand } from "./orders/list.ts";
import { placeCommand } from "./orders/place.ts";
import { showCommand } from "./orders/show.ts";

export function ordersCommand(): Command {
  const orders = new Command("orders")
    .description("List, place, change and export orders. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(placeCommand());
  for (const command of changeCommands()) orders.addCommand(command);
  return orders.addCommand(exportCommand());
}
