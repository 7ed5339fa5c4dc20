import { z } from "zod";
import { type Category, categoryJson, NewCategory } from "../../domain/categories/category.ts";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.ts";
import type { ReadableContent, WritableContent } from "./content.ts";

/** A category to put under this id, or to create under a new one. */
const CategoryLine = NewCategory.extend({
  id: z.bigint({ error: `must be an integer from ${INT64_MIN} to ${INT64_MAX}` }).optional(),
});
export type CategoryLine = z.infer<typeof CategoryLine>;

export const categoryLines: ReadableContent<CategoryLine> = {
  columns: { id: "integer", name: "text" },
  required: ["name"],
  schemaOf: () => CategoryLine,
};

export const categories: WritableContent<Category> = {
  columns: ["id", "name"],
  json: (category) => JSON.stringify(categoryJson(category)),
  cells: ({ id, name }, text) => [String(id), text(name)],
};
