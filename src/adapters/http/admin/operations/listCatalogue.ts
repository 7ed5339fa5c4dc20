import { z } from "zod";
import { examplePet, petJson } from "../../../../domain/pets/json.ts";
import { Pet } from "../../../../domain/pets/pet.ts";
import { PageQuery, pageOf } from "../../page-query.ts";
import { nextId } from "../fields.ts";
import { readPage } from "../page.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

export const PetPage = z.strictObject({ pets: z.array(Pet), next: nextId }).meta({
  id: "PetPage",
  description: "A page of the catalogue, by id.",
  examples: [{ pets: [examplePet], next: null }],
});

/** GET /pets */
export const listCatalogue = operation({
  id: "listCatalogue",
  method: "get",
  path: "/pets",
  role: "viewer",
  tag: "pets",
  summary: "List pets",
  description: "Lists the pets that match all given filters, by id.",
  request: { query: PageQuery },
  answers: { 200: { description: "A page of pets.", schema: PetPage } },
  handle:
    ({ pets }) =>
    async ({ query, context }) => {
      const page = pageOf(query);
      const { items, next } = await readPage(page.limit, (limit) => pets.list({ ...page, limit }));
      return json(context, 200, { pets: items.map(petJson), next });
    },
});
