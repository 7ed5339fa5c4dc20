import { exampleInventory, Inventory } from "../../../domain/pets/inventory.ts";
import { etagOf, representation, tagOfText } from "../conditional.ts";
import { operation } from "./operation.ts";

/** GET /store/inventory. Source: docs/orders.md, Inventory. */
export const getInventory = operation({
  id: "getInventory",
  method: "get",
  path: "/store/inventory",
  scope: "pets:read",
  tag: "inventory",
  summary: "Count pets by status",
  description: "Returns how many pets of each status there are, exactly.",
  additionTo: "1.0.0",
  answers: { 200: { description: "The counts.", schema: Inventory, example: exampleInventory } },
  handle:
    ({ pets }) =>
    async ({ context }) => {
      const text = JSON.stringify(await pets.inventory());
      return representation(context, text, etagOf(tagOfText(text)));
    },
});
