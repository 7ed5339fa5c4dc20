import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { Pet, PetPatch } from "../../../domain/pets/pet.ts";
import { PATCH_TYPES } from "../body.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../conditional.ts";
import { ofChange } from "../document-headers.ts";
import { PetPath } from "../path-ids.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** PATCH /pets/{petId}. Source: docs/interface.md, Change a pet. */
export const updatePet = operation({
  id: "updatePet",
  method: "patch",
  path: "/pets/{petId}",
  scope: "pets:write",
  tag: "pets",
  summary: "Change a pet",
  description:
    "Changes the fields that the body names, and leaves the others as they are (RFC 7396). An available pet can become pending or sold, a pending one available or sold, a sold one available. While an order holds the pet, its status changes with the order alone.",
  additionTo: "1.0.0",
  request: { params: PetPath, headers: ConditionalChange, body: PetPatch, types: PATCH_TYPES },
  answers: {
    200: {
      description: "The pet after the change.",
      schema: Pet,
      example: { ...examplePet, status: "sold" },
      headers: ofChange,
    },
  },
  refusals: ["pet_not_found", "precondition_failed", "pet_reserved", "invalid_transition"],
  handle:
    ({ pets }) =>
    async ({ params, headers, body, context }) => {
      const pet = await pets.update(params.petId, body, { preconditions: preconditionsIn(headers) });
      return json(context, 200, petJson(pet), { ETag: etagOf(tagOfVersion(pet.version)) });
    },
});
