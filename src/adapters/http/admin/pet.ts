import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { PetAdministration } from "../../../domain/pets/administration.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { Pet, type StoredPet } from "../../../domain/pets/pet.ts";
import { etagOf } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import type { Services } from "./operations/operation.ts";
import { authorOf, json, type OperatorContext } from "./request-context.ts";

/** A response that has a pet. */
export const petAnswer = (description: string) => ({
  description,
  schema: Pet,
  example: examplePet,
  headers: { ETag: ref("ETag") },
});

export function petResponse(context: OperatorContext, status: number, pet: StoredPet): Response {
  return json(context, status, petJson(pet), { ETag: etagOf(tagOfVersion(pet.version)) });
}

/** Changes pets on behalf of the operator who sent the request. */
export function petAdministration({ pets }: Services, context: OperatorContext): PetAdministration {
  return new PetAdministration(pets, authorOf(context));
}
