import { CategoryPath, notFound } from "../../path-ids.ts";
import { categoryAnswer, categoryResponse } from "../category.ts";
import { operation } from "./operation.ts";

/** GET /categories/{categoryId} */
export const getCategory = operation({
  id: "getCategory",
  method: "get",
  path: "/categories/{categoryId}",
  role: "viewer",
  tag: "categories",
  summary: "Get a category",
  description: "Returns a category with its ETag.",
  request: { params: CategoryPath },
  answers: { 200: categoryAnswer("The category.") },
  refusals: ["category_not_found"],
  handle:
    ({ categories }) =>
    async ({ params, context }) =>
      categoryResponse(context, 200, (await categories.get(params.categoryId)) ?? notFound("category_not_found")),
});
