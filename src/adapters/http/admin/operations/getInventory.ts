import { Inventory } from "../../../../domain/pets/inventory.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** GET /inventory */
export const getInventory = operation({
  id: "getInventory",
  method: "get",
  path: "/inventory",
  role: "viewer",
  tag: "pets",
  summary: "Get the inventory",
  description: "Returns how many pets of each status there are.",
  answers: { 200: { description: "The inventory.", schema: Inventory } },
  handle:
    ({ pets }) =>
    async ({ context }) =>
      json(context, 200, await pets.inventory()),
});
