import type { Command } from "commander";
import { orders } from "../../adapters/files/items.ts";
import type { OrderStatus } from "../../domain/orders/order.ts";
import { pagesOf } from "../../wiring/list-pages.ts";
import { type ExportOptions, exportFile, newExportCommand } from "../files/export.ts";
import { statusOption } from "./options.ts";

type Options = ExportOptions & { status?: OrderStatus };

export function exportCommand(): Command {
  return newExportCommand()
    .description("Write all orders, by id. Works while the service runs.")
    .addOption(statusOption())
    .addHelpText("after", "\nExamples:\n  petstore orders export orders.csv\n  petstore orders export --status placed")
    .action((file: string | undefined, options: Options, command: Command) =>
      exportFile(file, options, command, {
        noun: ["order", "orders"],
        content: orders,
        pages: (stores) => pagesOf((page) => stores.orders.list({ status: options.status, ...page })),
      }),
    );
}
