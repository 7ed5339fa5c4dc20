import { Refused } from "../../keys/administration.ts";

/** The refusal of a key id that no key has. */
export function missingKey(id: string): Refused {
  return new Refused(`There is no key ${id}. \`petstore keys list\` shows the keys there are.`);
}
