import { INT64_MAX, INT64_MIN, plainInt64, signedInt64 } from "../../domain/int64.ts";
import { MAX_IDS, type Order, PAGE } from "../../domain/pets/listing.ts";
import { parsed, wholeNumber } from "./parameters.ts";

// What the lists of the interface have in common. Source: docs/paging.md.

/** The ids of a resource: those that the service assigns, or any int64. */
type Ids = "assigned" | "any";

const forms = {
  assigned: { parse: (text: string) => positive(plainInt64(text)), minimum: 1 },
  any: { parse: signedInt64, minimum: INT64_MIN },
} as const;

/** The query parameter `limit`. */
export const limitOf = (items: string) =>
  wholeNumber(PAGE.min, PAGE.max)
    .optional()
    .meta({ default: PAGE.default, description: `Maximum number of ${items} returned.` });

/** The query parameter `ids`. */
export const idsOf = (items: string, ids: Ids) => {
  const { parse, minimum } = forms[ids];
  const parseAll = (text: string) => {
    const all = text.split(",").map(parse);
    return all.length <= MAX_IDS && all.every((id) => id !== undefined) ? [...new Set(all)] : undefined;
  };
  const error = `must be 1 to ${MAX_IDS} ids, separated by commas, each an integer from ${minimum} to ${INT64_MAX}`;
  return parsed(parseAll, error).meta({
    type: "array",
    items: { type: "integer", format: "int64", minimum, maximum: INT64_MAX },
    minItems: 1,
    maxItems: MAX_IDS,
    param: { style: "form", explode: false },
    description: `Only ${items} with these ids, separated by commas. It may be repeated instead, and \`ids[]\` is the same. Without \`limit\` the page holds all of them.`,
    examples: [[1, 2, 3]],
  });
};

/** The largest number of items on a page: all of the ids that it names, unless the query says another. */
export function limitIn({ limit, ids }: { limit?: number | undefined; ids?: readonly bigint[] | undefined }): number {
  return limit ?? ids?.length ?? PAGE.default;
}

/** A page of a list. What else it has are filters. */
export type AnyPage = {
  limit: number;
  after?: bigint | undefined;
  order?: Order | undefined;
  ids?: readonly bigint[] | undefined;
};

/** Returns the query string of the page after `page`, whose last item has the id `last`. */
export function nextQuery({ limit, after: _, order, ids, ...filters }: AnyPage, last: number | bigint): string {
  const isLeft = (id: bigint) => (order === "desc" ? id < last : id > last);
  const parameters: Record<string, unknown> = {
    limit,
    ...filters,
    ids: ids?.filter(isLeft),
    order: order === "desc" ? order : undefined,
    after: last,
  };
  let query = "";
  for (const name in parameters) {
    const value = parameters[name];
    // Numbers, also in a list, need no escapes.
    const text = typeof value === "string" ? encodeURIComponent(value) : value;
    if (text !== undefined) query += `&${name}=${text}`;
  }
  return query.slice(1);
}

function positive(id: bigint | undefined): bigint | undefined {
  return id !== undefined && id > 0n ? id : undefined;
}
