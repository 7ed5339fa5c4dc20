import { z } from "zod";
import { CATEGORY_NAME_RULE, categoryNameBounds, isCategoryName } from "../../domain/categories/category.ts";
import type { CategoriesPage } from "../../domain/categories/store.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import { OrderStatus } from "../../domain/orders/order.ts";
import type { OrdersPage } from "../../domain/orders/store.ts";
import { orders, type Page } from "../../domain/pets/listing.ts";
import { isName, NAME_RULE, nameBounds, PetStatus } from "../../domain/pets/pet.ts";
import { reference } from "../../domain/reference.ts";
import { idsOf, limitIn, limitOf } from "./paging.ts";
import { anyInt64, int64, parsed } from "./parameters.ts";

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
  .enum(orders, { error: `must be one of ${orders.join(", ")}` })
  .meta({ id: "ListOrder", description: "The order of a list, by id: ascending, or the newest first." });

/** The query parameters `after` and `order`. */
const orderedOf = (items: string, resource: string) => ({
  after: afterOf(items, resource, "above this one, below it with `order=desc`"),
  order: reference(ListOrder)
    .optional()
    .meta({
      default: "asc",
      param: { description: `\`asc\`: by id, ascending. \`desc\`: the newest ${items} first.` },
    }),
});

/** The query parameters that choose a page of pets. */
export const PageQuery = z.object({
  limit: limitOf("pets"),
  status: reference(PetStatus)
    .optional()
    .meta({ param: { description: "Only pets of this status.", example: "available" } }),
  ...orderedOf("pets", "a pet"),
  ids: idsOf("pets", "assigned").optional(),
  categoryId: anyInt64.optional().meta({ description: "Only pets of this category." }),
  name: parsed((text) => (isName(text) ? text : undefined), `must be ${NAME_RULE}`)
    .optional()
    .meta({ ...nameBounds, description: `Only pets with this name. ${IGNORING_CASE}` }),
});

/** The query parameters that choose a page of categories. */
export const CategoriesQuery = z.object({
  limit: limitOf("categories"),
  after: anyInt64.optional().meta({
    examples: [20],
    description: "Only categories with an id above this one: the last id of the previous page.",
  }),
  ids: idsOf("categories", "any").optional(),
  name: parsed((text) => (isCategoryName(text) ? text : undefined), `must be ${CATEGORY_NAME_RULE}`)
    .optional()
    .meta({ ...categoryNameBounds, description: `Only the category with this name. ${IGNORING_CASE}` }),
});

/** The query parameters that choose a page of orders. */
export const OrdersQuery = z.object({
  limit: limitOf("orders"),
  status: reference(OrderStatus)
    .optional()
    .meta({ param: { description: "Only orders of this status.", example: "placed" } }),
  petId: int64(1)
    .optional()
    .meta({ examples: [1], description: "Only orders for this pet." }),
  after: afterOf("orders", "an order"),
  ids: idsOf("orders", "assigned").optional(),
});

/** The same for operators, who choose the order too. */
export const OrderedOrdersQuery = OrdersQuery.extend(orderedOf("orders", "an order"));

/** Returns the page of pets that a query selects. */
export function pageOf({ order = "asc", after, ids, limit, ...filters }: Partial<z.output<typeof PageQuery>>): Page {
  const start = order === "asc" ? 0n : INT64_MAX;
  return { limit: limitIn({ limit, ids }), after: after ?? start, order, ids, ...filters };
}

/** Returns the page of categories that a query selects. */
export function categoriesPageOf(query: z.output<typeof CategoriesQuery>): CategoriesPage {
  return { ...query, limit: limitIn(query) };
}

/** Returns the page of orders that a query selects. */
export function ordersPageOf(query: z.output<typeof OrdersQuery | typeof OrderedOrdersQuery>): OrdersPage {
  return { ...query, limit: limitIn(query) };
}
