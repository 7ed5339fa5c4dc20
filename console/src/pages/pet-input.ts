import type { Pet } from "../api/responses.ts";

/** The fields of a pet in a form. `categoryId` is a text of digits: a JavaScript number cannot hold every int64. */
export type PetInput = { name: string; categoryId: string; status: Pet["status"] };

export function inputOf({ name, categoryId, status }: Pet): PetInput {
  return { name, categoryId: String(categoryId), status };
}

/** The JSON of these fields, with the digits of the category as typed. */
export function jsonOf(input: Partial<PetInput>): string {
  const members = Object.entries(input).map(
    ([name, value]) => `"${name}":${name === "categoryId" ? value : JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}
