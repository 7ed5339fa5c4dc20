import { z } from "zod";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { Pet, PetPatch } from "../../../domain/pets/pet.ts";
import { etagOfVersion, IfMatch } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import { PetId } from "../pet-id.ts";
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
    "Changes the fields that the body names, and leaves the others as they are (RFC 7396). An available pet can become pending or sold, a pending one available or sold, a sold one available.",
  additionTo: "1.0.0",
  request: {
    params: z.object({ petId: PetId }),
    headers: z.object({ "If-Match": IfMatch.optional() }),
    body: PetPatch,
    types: ["application/merge-patch+json", "application/json"],
  },
  answers: {
    200: {
      description: "The pet after the change.",
      schema: Pet,
      example: { ...examplePet, status: "sold" },
      headers: { ETag: ref("ETag") },
    },
  },
  refusals: ["pet_not_found", "precondition_failed", "invalid_transition"],
  handle:
    ({ pets }) =>
    async ({ params, headers, body, context }) => {
      const pet = await pets.update(params.petId, body, { tags: headers["If-Match"]?.map(tagOfVersion) });
      return json(context, 200, petJson(pet), { ETag: etagOfVersion(pet.version) });
    },
});
