import { OTHER } from "../../../domain/usage/counting.ts";
import { MAX_BODY_BYTES } from "../request.ts";
import { createCategory, deleteCategory, getCategory, listCategories, putCategory } from "./categories.ts";
import { listEvents } from "./events.ts";
import { keyOperationsOf } from "./key.ts";
import { getInventory, getOrder, listOrders, placeOrder, updateOrder } from "./orders.ts";
import { createPet, createPets, deletePet, getPet, listPets, updatePet } from "./pets.ts";
import { getUsageOf } from "./usage.ts";

const petOperations = [listPets, createPet, createPets, getPet, updatePet, deletePet];
const categoryOperations = [listCategories, createCategory, getCategory, putCategory, deleteCategory];
const storeOperations = [listOrders, placeOrder, getOrder, updateOrder, getInventory];
const countedOperations = [...petOperations, ...categoryOperations, ...storeOperations, listEvents];

const others = [...countedOperations, ...keyOperationsOf(countedOperations)];

/** The operations of the public interface, from which routes, document, metrics and usage derive. */
export const operations = [...others, getUsageOf(others)];

/** The largest message of `/mcp`, in bytes: nearly any body of an operation fits in. */
export const MAX_MESSAGE_BYTES = Math.max(...operations.map(({ request }) => request?.maxBytes ?? MAX_BODY_BYTES));

/** The version of the interface to which an operation was added later. */
export function additionTo({ id }: { id: string }): string | undefined {
  return ["listPets", "createPet", "getPet"].includes(id) ? undefined : "1.0.0";
}

export const operationNames = [...operations.map(({ id }) => id), OTHER];
