import { ConditionalChange, preconditionsIn } from "../conditional.ts";
import { PetPath } from "../path-ids.ts";
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
  description: "Removes a pet for good, unless an order holds it. Its id is never assigned again.",
  additionTo: "1.0.0",
  request: { params: PetPath, headers: ConditionalChange },
  answers: { 204: "The pet was removed." },
  refusals: ["pet_not_found", "precondition_failed", "pet_reserved"],
  handle:
    ({ pets }) =>
    async ({ params, headers, context }) => {
      await pets.delete(params.petId, { preconditions: preconditionsIn(headers) });
      return noContent(context);
    },
});
