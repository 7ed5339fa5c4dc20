import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { Pets } from "../../../domain/pets/pet.ts";
import { ofPage } from "../document-headers.ts";
import { PageQuery, pageOf } from "../page-query.ts";
import { pageReader } from "../page-reader.ts";
import { operation } from "./operation.ts";

/** GET /pets. Source: docs/paging.md. */
export const listPets = operation({
  id: "listPets",
  method: "get",
  path: "/pets",
  scope: "pets:read",
  tag: "pets",
  summary: "List pets",
  description:
    'Returns a page of pets, by id, ascending unless `order=desc`. The `Link` with `rel="next"` leads to the next page.',
  request: { query: PageQuery },
  answers: {
    200: { description: "A page of pets, possibly empty.", schema: Pets, example: [examplePet], headers: ofPage },
  },
  read: ({ pets, pages, baseUrl }) =>
    pageReader({
      url: `${baseUrl}/pets`,
      pageOf,
      read: (page) => pets.list(page),
      jsonOf: petJson,
      tagOf: ({ version }) => tagOfVersion(version),
      revision: () => pets.revision(),
      cache: pages,
    }),
});
