import { NewPet } from "../../../../domain/pets/pet.ts";
import { petAdministration, petAnswer, petResponse } from "../pet.ts";
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
  answers: { 201: petAnswer("The pet.") },
  handle:
    (services) =>
    async ({ body, context }) =>
      petResponse(context, 201, await petAdministration(services, context).create(body, services.clock())),
});
