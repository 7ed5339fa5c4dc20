import { InvalidArgumentError, Option } from "commander";
import { isName, NAME_RULE, PetStatus } from "../../domain/pets/pet.ts";
import { parseAssignedId, parseCategoryId } from "../options.ts";

export const ID_ARGUMENT = ["<id>", "the pet's id: `petstore pets list` shows it", parseAssignedId] as const;

export function statusOption(description: string): Option {
  return new Option("--status <status>", description).choices(PetStatus.options);
}

export function categoryOption(description: string): Option {
  return new Option("--category <id>", description).argParser(parseCategoryId);
}

export function nameOption(description: string): Option {
  return new Option("--name <text>", description).argParser((text) => {
    if (isName(text)) return text;
    throw new InvalidArgumentError(`It must be ${NAME_RULE}.`);
  });
}
