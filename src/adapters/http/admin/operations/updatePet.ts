import { PetPatch } from "../../../../domain/pets/pet.ts";
import { ConditionalChange, preconditionsIn } from "../../conditional.ts";
import { PetPath } from "../../path-ids.ts";
import { petAdministration, petAnswer, petResponse } from "../pet.ts";
import { operation } from "./operation.ts";

/** PATCH /pets/{petId} */
export const updatePet = operation({
  id: "updatePet",
  method: "patch",
  path: "/pets/{petId}",
  role: "admin",
  tag: "pets",
  summary: "Change a pet",
  description: "Changes the fields that the body names, by the rules of the public interface.",
  request: {
    params: PetPath,
    headers: ConditionalChange,
    body: PetPatch,
    types: ["application/merge-patch+json", "application/json"],
  },
  answers: { 200: petAnswer("The pet after the change.") },
  refusals: ["pet_not_found", "precondition_failed", "invalid_transition", "pet_reserved"],
  handle:
    (services) =>
    async ({ params, headers, body, context }) => {
      const administration = petAdministration(services, context);
      const pet = await administration.update(params.petId, body, services.clock(), {
        preconditions: preconditionsIn(headers),
      });
      return petResponse(context, 200, pet);
    },
});
