import { OTHER } from "../../../domain/usage/recorder.ts";
import { createPet } from "./createPet.ts";
import { deletePet } from "./deletePet.ts";
import { getPet } from "./getPet.ts";
import { getUsageOf } from "./getUsage.ts";
import { listPets } from "./listPets.ts";
import { updatePet } from "./updatePet.ts";

const petOperations = [listPets, createPet, getPet, updatePet, deletePet];

/** The operations of the public interface, from which routes, document, metrics and usage derive. */
export const operations = [...petOperations, getUsageOf(petOperations)];

/** The names under which requests are counted. */
export const operationNames = [...operations.map(({ id }) => id), OTHER];
