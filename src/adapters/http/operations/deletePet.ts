import { z } from "zod";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { IfMatch } from "../conditional.ts";
import { PetId } from "../pet-id.ts";
import { noContent } from "../request-context.ts";
import { operation } from "./operation.ts";

/** DELETE /pets/{petId}. Source: docs/interface.md, Remove a pet. */
export const deletePet = operation({
  id: "deletePet",
  method: "delete",
  path: "/pets/{petId}",
  scope: "pets:write",
  tag: "pets",
  summary: "Remove a pet",
  description: "Removes a pet for good. Its id is never assigned again.",
  additionTo: "1.0.0",
  request: { params: z.object({ petId: PetId }), headers: z.object({ "If-Match": IfMatch.optional() }) },
  answers: { 204: "The pet was removed." },
  refusals: ["pet_not_found", "precondition_failed"],
  handle:
    ({ pets }) =>
    async ({ params, headers, context }) => {
      await pets.delete(params.petId, { tags: headers["If-Match"]?.map(tagOfVersion) });
      return noContent(context);
    },
});
