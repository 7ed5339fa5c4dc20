import { OTHER } from "../../../domain/usage/recorder.ts";
import { createCategory } from "./createCategory.ts";
import { createPet } from "./createPet.ts";
import { deleteCategory } from "./deleteCategory.ts";
import { deletePet } from "./deletePet.ts";
import { getCategory } from "./getCategory.ts";
import { getInventory } from "./getInventory.ts";
import { getOrder } from "./getOrder.ts";
import { getPet } from "./getPet.ts";
import { getUsageOf } from "./getUsage.ts";
import { listCategories } from "./listCategories.ts";
import { listOrders } from "./listOrders.ts";
import { listPets } from "./listPets.ts";
import { placeOrder } from "./placeOrder.ts";
import { putCategory } from "./putCategory.ts";
import { updateOrder } from "./updateOrder.ts";
import { updatePet } from "./updatePet.ts";

const petOperations = [listPets, createPet, getPet, updatePet, deletePet];
const categoryOperations = [listCategories, createCategory, getCategory, putCategory, deleteCategory];
const storeOperations = [listOrders, placeOrder, getOrder, updateOrder, getInventory];
const countedOperations = [...petOperations, ...categoryOperations, ...storeOperations];

/** The operations of the public interface, from which routes, document, metrics and usage derive. */
export const operations = [...countedOperations, getUsageOf(countedOperations)];

/** The names under which requests are counted. */
export const operationNames = [...operations.map(({ id }) => id), OTHER];
