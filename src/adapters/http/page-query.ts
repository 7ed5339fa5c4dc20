import { z } from "zod";
import { INT64_MAX, plainInt64 } from "../../domain/int64.ts";
import { MAX_IDS, PAGE, type Page } from "../../domain/pets/listing.ts";
import { PetStatus } from "../../domain/pets/pet.ts";
import { int64, pageLimit, parsed } from "./parameters.ts";

const ids = parsed(readIds, `must be 1 to ${MAX_IDS} ids, separated by commas, each an integer from 1 to ${INT64_MAX}`);

/** The query parameters that choose a page of pets. */
export const PageQuery = z.object({
  limit: pageLimit(PAGE.max, PAGE.default).meta({ description: "Maximum number of pets returned." }),
  status: PetStatus.optional().meta({ description: "Only pets of this status." }),
  after: int64(0, `must be the id of a pet: an integer from 0 to ${INT64_MAX}`)
    .optional()
    .meta({
      description: `Only pets with an id above this one, an int64 of 0 to ${INT64_MAX}: the last id of the page before.`,
    }),
  ids: ids.optional().meta({
    type: "array",
    items: { type: "integer", format: "int64", minimum: 1, maximum: INT64_MAX },
    minItems: 1,
    maxItems: MAX_IDS,
    param: { style: "form", explode: false },
    description: "Only pets with these ids, separated by commas.",
    examples: [[1, 2, 3]],
  }),
});

/** The page that a query asks for. */
export function pageOf({ after = 0n, ...query }: z.output<typeof PageQuery>): Page {
  return { ...query, after };
}

/** The query string of the page that follows `page`, whose last pet is `last`. */
export function nextQuery(page: Page, last: number): string {
  const status = page.status === undefined ? "" : `&status=${page.status}`;
  const left = page.ids?.filter((id) => id > BigInt(last));
  const ids = left === undefined ? "" : `&ids=${left.join(",")}`;
  return `limit=${page.limit}${status}${ids}&after=${last}`;
}

function readIds(text: string): bigint[] | undefined {
  const ids = text.split(",").map(plainInt64);
  if (ids.length > MAX_IDS) return undefined;
  return ids.every((id): id is bigint => id !== undefined && id > 0n) ? ids : undefined;
}
