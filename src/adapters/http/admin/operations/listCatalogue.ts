import { z } from "zod";
import { petJson } from "../../../../domain/pets/json.ts";
import { Pet } from "../../../../domain/pets/pet.ts";
import { PageQuery, pageOf } from "../../page-query.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

export const PetPage = z
  .strictObject({
    pets: z.array(Pet),
    next: z
      .int()
      .nullable()
      .meta({ type: ["integer", "null"], description: "The `after` of the next page." }),
  })
  .meta({
    id: "PetPage",
    description: "A page of the catalogue, by id.",
    examples: [{ pets: [{ id: 1, name: "Rex", categoryId: 1, status: "available" }], next: null }],
  });

/** GET /pets */
export const listCatalogue = operation({
  id: "listCatalogue",
  method: "get",
  path: "/pets",
  role: "viewer",
  tag: "pets",
  summary: "List pets",
  description: "Lists the pets of the catalogue by id.",
  request: { query: PageQuery.omit({ ids: true, order: true }) },
  answers: { 200: { description: "A page of pets, by id, ascending.", schema: PetPage } },
  handle:
    ({ pets }) =>
    async ({ query, context }) => {
      const { limit, ...others } = pageOf(query);
      const found = await pets.list({ ...others, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
      return json(context, 200, { pets: page.map(petJson), next });
    },
});
