import { NewCategory } from "../../../../domain/categories/category.ts";
import { categoryAdministration, categoryAnswer, categoryResponse } from "../category.ts";
import { operation } from "./operation.ts";

/** POST /categories */
export const createCategory = operation({
  id: "createCategory",
  method: "post",
  path: "/categories",
  role: "admin",
  tag: "categories",
  summary: "Create a category",
  description: "Creates a category under a new id.",
  request: { body: NewCategory },
  answers: { 201: categoryAnswer("The category.") },
  refusals: ["category_exists"],
  handle:
    (services) =>
    async ({ body, context }) => {
      const category = await categoryAdministration(services, context).create(body, services.clock());
      return categoryResponse(context, 201, category);
    },
});
