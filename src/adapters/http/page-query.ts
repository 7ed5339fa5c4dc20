import { z } from "zod";
import { INT64_MAX, plainInt64 } from "../../domain/int64.ts";
import { MAX_IDS, orders, PAGE, type Page } from "../../domain/pets/listing.ts";
import { isName, NAME_RULE, nameBounds, PetStatus } from "../../domain/pets/pet.ts";
import { reference } from "../../domain/reference.ts";
import { anyInt64, int64, parsed, wholeNumber } from "./parameters.ts";

const ids = parsed(
  readIds,
  `must be 1 to ${MAX_IDS} ids, separated by commas, each an integer from 1 to ${INT64_MAX}`,
).meta({
  type: "array",
  items: { type: "integer", format: "int64", minimum: 1, maximum: INT64_MAX },
  minItems: 1,
  maxItems: MAX_IDS,
  param: { style: "form", explode: false },
  description:
    "Only pets with these ids, separated by commas. It may be repeated instead, and `ids[]` is the same. Without `limit` the page holds all of them.",
  examples: [[1, 2, 3]],
});

/** The query parameters that choose a page of pets. */
export const PageQuery = z.object({
  limit: wholeNumber(PAGE.min, PAGE.max)
    .optional()
    .meta({ default: PAGE.default, description: "Maximum number of pets returned." }),
  status: reference(PetStatus)
    .optional()
    .meta({ param: { description: "Only pets of this status.", example: "available" } }),
  after: int64(0, `must be the id of a pet: an integer from 0 to ${INT64_MAX}`)
    .optional()
    .meta({
      examples: [20],
      description: `Only pets with an id above this one, below it with \`order=desc\`: the last id of the previous page. An int64 from 0 to ${INT64_MAX}.`,
    }),
  order: z
    .enum(orders, { error: `must be one of ${orders.join(", ")}` })
    .optional()
    .meta({ default: "asc", description: "`asc`: by id, ascending. `desc`: the newest pets first." }),
  ids: ids.optional(),
  categoryId: anyInt64.optional().meta({ description: "Only pets of this category." }),
  name: parsed((text) => (isName(text) ? text : undefined), `must be ${NAME_RULE}`)
    .optional()
    .meta({
      ...nameBounds,
      description:
        "Only pets with this name. Case is ignored: names are compared in lower case, in Unicode's form NFKC.",
    }),
});

/** Returns the page that a query selects. */
export function pageOf({
  order = "asc",
  ids,
  status,
  categoryId,
  name,
  ...query
}: Partial<z.output<typeof PageQuery>>): Page {
  const { limit = ids?.length ?? PAGE.default, after = order === "asc" ? 0n : INT64_MAX } = query;
  return { limit, after, order, status, ids, categoryId, name };
}

/** Returns the query string of the page after `page`, whose last pet has the id `last`. */
export function nextQuery({ limit, order, status, ids, categoryId, name }: Page, last: number): string {
  const isLeft = (id: bigint) => (order === "desc" ? id < BigInt(last) : id > BigInt(last));
  const parts = [
    `limit=${limit}`,
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(categoryId === undefined ? [] : [`categoryId=${categoryId}`]),
    ...(name === undefined ? [] : [`name=${encodeURIComponent(name)}`]),
    ...(ids === undefined ? [] : [`ids=${ids.filter(isLeft).join(",")}`]),
    ...(order === "desc" ? ["order=desc"] : []),
    `after=${last}`,
  ];
  return parts.join("&");
}

function readIds(text: string): bigint[] | undefined {
  const ids = text.split(",").map(plainInt64);
  if (ids.length > MAX_IDS) return undefined;
  return ids.every((id): id is bigint => id !== undefined && id > 0n) ? ids : undefined;
}
