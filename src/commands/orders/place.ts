import { Command } from "commander";
import { orderJson } from "../../domain/orders/order.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { parseAssignedId } from "../options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";

export function placeCommand(): Command {
  return new Command("place")
    .description("Order an available pet, which becomes pending.")
    .argument("<petId>", "the pet's id: `petstore pets list --status available` shows it", parseAssignedId)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore orders place 1")
    .action(place);
}

async function place(petId: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orderAdministration }) => {
    const { created: order } = await orderAdministration.place(petId, Date.now());
    print(json, orderJson(order), () => `Order ${order.id} of pet ${petId} is placed.`);
  });
}
