import { OTHER } from "../../../domain/usage/recorder.ts";
import { createPet } from "./createPet.ts";
import { getPet } from "./getPet.ts";
import { getUsageOf } from "./getUsage.ts";
import { listPets } from "./listPets.ts";

const aboutPets = [listPets, createPet, getPet];

/** The operations of the public interface. Everything else that names them is made of this list. */
export const operations = [...aboutPets, getUsageOf(aboutPets)];

/** The names under which requests are counted. */
export const operationNames = [...operations.map(({ id }) => id), OTHER];
