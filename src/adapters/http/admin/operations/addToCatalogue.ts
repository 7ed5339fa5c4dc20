import { petJson } from "../../../../domain/pets/json.ts";
import { NewPet, Pet } from "../../../../domain/pets/pet.ts";
import { authorOf, json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /pets */
export const addToCatalogue = operation({
  id: "addToCatalogue",
  method: "post",
  path: "/pets",
  role: "admin",
  tag: "pets",
  summary: "Add a pet",
  description: "Adds a pet to the catalogue.",
  request: { body: NewPet },
  answers: { 201: { description: "The pet.", schema: Pet } },
  handle:
    ({ petAdministration }) =>
    async ({ body, context }) =>
      json(context, 201, petJson(await petAdministration.create(authorOf(context), body))),
});
