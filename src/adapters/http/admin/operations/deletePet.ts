import { ConditionalChange, preconditionsIn } from "../../conditional.ts";
import { PetPath } from "../../path-ids.ts";
import { noContent } from "../../request-context.ts";
import { petAdministration } from "../pet.ts";
import { operation } from "./operation.ts";

/** DELETE /pets/{petId} */
export const deletePet = operation({
  id: "deletePet",
  method: "delete",
  path: "/pets/{petId}",
  role: "admin",
  tag: "pets",
  summary: "Remove a pet",
  description: "Removes a pet for good. Its id is never assigned again.",
  request: { params: PetPath, headers: ConditionalChange },
  answers: { 204: "The pet was removed." },
  refusals: ["pet_not_found", "precondition_failed", "pet_reserved"],
  handle:
    (services) =>
    async ({ params, headers, context }) => {
      await petAdministration(services, context).delete(params.petId, services.clock(), preconditionsIn(headers));
      return noContent(context);
    },
});
