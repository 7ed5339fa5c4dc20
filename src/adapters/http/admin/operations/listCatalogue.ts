import { z } from "zod";
import { PAGE } from "../../../../domain/pets/listing.ts";
import { Pet, PetStatus } from "../../../../domain/pets/pet.ts";
import { int64, wholeNumber } from "../../parameters.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const PetsQuery = z.object({
  limit: wholeNumber(PAGE.min, PAGE.max).default(PAGE.default),
  after: int64(0).default(0n).meta({ description: "The `next` of the previous page." }),
  status: PetStatus.optional(),
});

export const PetPage = z
  .strictObject({
    pets: z.array(Pet),
    next: z
      .int()
      .nullable()
      .meta({ type: ["integer", "null"], description: "The `after` of the next page." }),
  })
  .meta({ id: "PetPage", description: "A page of the catalogue, by id." });

/** GET /pets */
export const listCatalogue = operation({
  id: "listCatalogue",
  method: "get",
  path: "/pets",
  role: "viewer",
  tag: "pets",
  summary: "List pets",
  description: "Lists the pets of the catalogue by id.",
  request: { query: PetsQuery },
  answers: { 200: { description: "A page of pets, by id, ascending.", schema: PetPage } },
  handle:
    ({ pets }) =>
    async ({ query, context }) => {
      const { limit, after, status } = query;
      const found = await pets.list({ limit: limit + 1, after, ...(status && { status }) });
      const page = found.slice(0, limit);
      const next = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
      return json(context, 200, { pets: page, next });
    },
});
