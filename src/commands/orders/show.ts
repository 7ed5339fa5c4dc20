import { Command } from "commander";
import { PetstoreError } from "../../domain/errors.ts";
import { orderJson } from "../../domain/orders/order.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { formatTime } from "../time.ts";
import { ID_ARGUMENT } from "./options.ts";

export function showCommand(): Command {
  return new Command("show")
    .description("Show an order with its pet.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore orders show 1")
    .action(show);
}

async function show(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orders, pets }) => {
    const order = await orders.get(id);
    if (order === undefined) throw new PetstoreError("order_not_found");
    const { petId, status, createdAt, updatedAt } = order;
    const pet = await pets.get(BigInt(petId));
    print(json, orderJson(order), () =>
      columnsOf([
        ["id", String(id)],
        ["pet", `${petId}, ${pet === undefined ? "removed" : `"${pet.name}"`}`],
        ["status", status],
        ["placed", formatTime(createdAt)],
        ["changed", formatTime(updatedAt)],
      ]),
    );
  });
}
