import { after } from "../../../domain/awaitable.ts";
import { exampleInventory, Inventory } from "../../../domain/pets/inventory.ts";
import { etagOf, tagOfText } from "../conditional.ts";
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
  read:
    ({ pets }) =>
    () =>
      after(pets.inventory(), (inventory) => {
        const body = JSON.stringify(inventory);
        return { body, etag: etagOf(tagOfText(body)) };
      }),
});
