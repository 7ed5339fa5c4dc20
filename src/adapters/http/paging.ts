import { z } from "zod";
import { categoryName } from "../../domain/categories.ts";
import { INT64_MAX, INT64_MIN, plainInt64, signedInt64 } from "../../domain/int64.ts";
import { OrderStatus, orderReference } from "../../domain/orders.ts";
import { type Direction, directions, MAX_IDS, PAGE, type Page, PetStatus, petNameFilter } from "../../domain/pets.ts";
import { reference } from "../../domain/schemas.ts";
import { anyInt64, int64, parsed, wholeNumber } from "./parameters.ts";

// What the lists of the interface have in common. Source: docs/paging.md.

/** The ids of a resource: those that the service assigns, or any int64. */
type Ids = "assigned" | "any";

const forms = {
  assigned: { parse: (text: string) => positive(plainInt64(text)), minimum: 1 },
  any: { parse: signedInt64, minimum: INT64_MIN },
} as const;

export const limitOf = (items: string) =>
  wholeNumber(PAGE.min, PAGE.max)
    .optional()
    .meta({ default: PAGE.default, description: `Maximum number of ${items} returned.` });

const idsOf = (items: string, ids: Ids) => {
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
    description: `Only ${items} with these ids, separated by commas. It may be repeated instead, also as \`ids[]\` or \`ids[0]\`. Without \`limit\` the page holds all of them.`,
    examples: [[1, 2, 3]],
  });
};

/** A page of a list. What else it has are filters. */
export type AnyPage = {
  limit: number;
  after?: bigint | undefined;
  order?: Direction | undefined;
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

const IGNORING_CASE = "Case is ignored: names are compared in lower case, in Unicode's form NFKC.";

/** The query parameter `after` for ids that the service assigns. `where`: the ids of the page from there. */
const afterOf = (items: string, resource: string, where = "above this one") =>
  int64(0, `must be the id of ${resource}: an integer from 0 to ${INT64_MAX}`)
    .optional()
    .meta({
      examples: [20],
      description: `Only ${items} with an id ${where}: the last id of the previous page. An int64 from 0 to ${INT64_MAX}.`,
    });

const ListOrder = z
  .enum(directions, { error: `must be one of ${directions.join(", ")}` })
  .meta({ id: "ListOrder", description: "The order of a list, by id: ascending, or the newest first." });

const orderedOf = (items: string, resource: string) => ({
  after: afterOf(items, resource, "above this one, below it with `order=desc`"),
  order: reference(ListOrder)
    .optional()
    .meta({
      default: "asc",
      param: { description: `\`asc\`: by id, ascending. \`desc\`: the newest ${items} first.` },
    }),
});

const named = (
  { isValid, rule, bounds }: Pick<typeof petNameFilter, "isValid" | "rule" | "bounds">,
  description: string,
) =>
  parsed((text) => (isValid(text) ? text : undefined), `must be ${rule}`)
    .optional()
    .meta({ ...bounds, description });

export const PageQuery = z.object({
  limit: limitOf("pets"),
  status: reference(PetStatus)
    .optional()
    .meta({ param: { description: "Only pets of this status.", example: "available" } }),
  ...orderedOf("pets", "a pet"),
  ids: idsOf("pets", "assigned").optional(),
  categoryId: anyInt64.optional().meta({ description: "Only pets of this category." }),
  name: named(
    petNameFilter,
    `Only pets with this name, or with \`*\` at the end those whose names begin so, such as \`Rex*\`. A name that ends in \`*\` is written with \`\\*\`; anywhere else both stand for themselves. ${IGNORING_CASE} A page of a frequent beginning may hold fewer pets than \`limit\`, or none, although more follow: its \`Link\` leads on.`,
  ),
});

export const CategoriesQuery = z.object({
  limit: limitOf("categories"),
  after: anyInt64.optional().meta({
    examples: [20],
    description: "Only categories with an id above this one: the last id of the previous page.",
  }),
  ids: idsOf("categories", "any").optional(),
  name: named(categoryName, `Only the category with this name. ${IGNORING_CASE}`),
});

export const OrdersQuery = z.object({
  limit: limitOf("orders"),
  status: reference(OrderStatus)
    .optional()
    .meta({ param: { description: "Only orders of this status.", example: "placed" } }),
  petId: int64(1)
    .optional()
    .meta({ examples: [1], description: "Only orders for this pet." }),
  reference: named(orderReference, "Only orders with exactly this reference."),
  after: afterOf("orders", "an order"),
  ids: idsOf("orders", "assigned").optional(),
});

/** The same for operators, who choose the order too. */
export const OrderedOrdersQuery = OrdersQuery.extend(orderedOf("orders", "an order"));

export function pageOf({ order = "asc", after, ids, limit, ...filters }: Partial<z.output<typeof PageQuery>>): Page {
  const start = order === "asc" ? 0n : INT64_MAX;
  return { ...withLimit({ limit, ids }), after: after ?? start, order, ...filters };
}

type Named = { limit?: number | undefined; ids?: readonly bigint[] | undefined };

/** The page that a query selects: with all of the ids that it names, unless it says another limit. */
export function withLimit<Query extends Named>(query: Query): Query & { limit: number } {
  return { ...query, limit: query.limit ?? query.ids?.length ?? PAGE.default };
}
