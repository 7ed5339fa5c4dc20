import { notFound, PetPath } from "../../path-ids.ts";
import { petAnswer, petResponse } from "../pet.ts";
import { operation } from "./operation.ts";

/** GET /pets/{petId} */
export const getPet = operation({
  id: "getPet",
  method: "get",
  path: "/pets/{petId}",
  role: "viewer",
  tag: "pets",
  summary: "Get a pet",
  description: "Returns a pet with its ETag.",
  request: { params: PetPath },
  answers: { 200: petAnswer("The pet.") },
  refusals: ["pet_not_found"],
  handle:
    ({ pets }) =>
    async ({ params, context }) =>
      petResponse(context, 200, (await pets.get(params.petId)) ?? notFound("pet_not_found")),
});
