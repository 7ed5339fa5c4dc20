import { type Awaitable, after } from "../../../domain/awaitable.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import type { Page } from "../../../domain/pets/listing.ts";
import { Pets, type StoredPet } from "../../../domain/pets/pet.ts";
import type { PetStore } from "../../../domain/pets/store.ts";
import { etagOfText, etagOfVersion, representation } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import { type CachedPage, PageCache } from "../page-cache.ts";
import { nextQuery, PageQuery, pageOf } from "../page-query.ts";
import { queryOf } from "../parameters.ts";
import { RequestCoalescer } from "../request-coalescer.ts";
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
    200: {
      description: "A page of pets, possibly empty.",
      schema: Pets,
      example: [examplePet],
      headers: { Link: ref("NextPage") },
    },
  },
  handle: ({ pets, baseUrl }) => {
    const pageFor = pageReader(pets);
    // Not async: this is the hottest operation, and its page is mostly in the cache.
    return (input) => {
      const { context } = input;
      const page = pageFor(queryOf(context.request.url), () => pageOf(input.query));
      return after(page, ({ body, etag, next }) => {
        if (next !== undefined) context.headers.Link = `<${baseUrl}/pets?${next}>; rel="next"`;
        return representation(context, body, etag);
      });
    };
  },
});

type PageReader = (query: string, read: () => Page) => Awaitable<CachedPage>;

/** Reads the page for a query string: from the cache while no pet has changed, otherwise from the store. */
function pageReader(pets: PetStore): PageReader {
  const cache = new PageCache();
  const coalescer = new RequestCoalescer<CachedPage>();
  return (query, read) => {
    const revision = pets.revision();
    if (revision === undefined) return coalescer.run(query, () => load(pets, read()));
    const cached = cache.get(query, revision);
    if (cached !== undefined) return cached;
    return after(load(pets, read()), (page) => {
      cache.add(query, revision, page);
      return page;
    });
  };
}

/** Reads one pet more than the page holds, to find out whether another page follows. */
function load(pets: PetStore, page: Page): Awaitable<CachedPage> {
  return after(pets.list({ ...page, limit: page.limit + 1 }), (found) => {
    const shown = found.slice(0, page.limit);
    const last = found.length > shown.length ? shown.at(-1) : undefined;
    const body = JSON.stringify(shown.map(petJson));
    return { body, etag: etagOf(page, shown, body), next: last && nextQuery(page, last.id) };
  });
}

/** The one pet of a page that was requested by one id has its own ETag there, for a change of it. */
function etagOf({ ids }: Page, [pet]: StoredPet[], body: string): string {
  return ids?.length === 1 && pet !== undefined ? etagOfVersion(pet.version) : etagOfText(body);
}
