import { Command } from "commander";
import { type OrderStatus, orderJson } from "../../domain/orders/order.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { ID_ARGUMENT } from "./options.ts";

/** The commands that give an order its next status. */
const changes = [
  { name: "approve", status: "approved", description: "Approve a placed order." },
  { name: "deliver", status: "delivered", description: "Deliver an approved order: its pet becomes sold." },
  { name: "cancel", status: "cancelled", description: "Cancel a placed or approved order: its pet becomes available." },
] as const satisfies { name: string; status: OrderStatus; description: string }[];

export function changeCommands(): Command[] {
  return changes.map(({ name, status, description }) =>
    new Command(name)
      .description(description)
      .argument(...ID_ARGUMENT)
      .option(...JSON_OPTION)
      .addHelpText("after", `\nExample:\n  petstore orders ${name} 1`)
      .action((id: bigint, options: { json?: boolean }) => change(id, status, options)),
  );
}

async function change(id: bigint, status: OrderStatus, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orderAdministration }) => {
    const order = await orderAdministration.update(id, status, Date.now());
    print(json, orderJson(order), () => `Order ${id} of pet ${order.petId} is ${order.status}.`);
  });
}
