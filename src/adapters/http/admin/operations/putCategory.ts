import { NewCategory } from "../../../../domain/categories/category.ts";
import { ConditionalChange, preconditionsIn } from "../../conditional.ts";
import { CategoryPath } from "../../path-ids.ts";
import { categoryAdministration, categoryAnswer, categoryResponse } from "../category.ts";
import { operation } from "./operation.ts";

/** PUT /categories/{categoryId} */
export const putCategory = operation({
  id: "putCategory",
  method: "put",
  path: "/categories/{categoryId}",
  role: "admin",
  tag: "categories",
  summary: "Rename or create a category",
  description: "Renames the category with this id, or creates it, so that an id that pets already have gets a name.",
  request: {
    params: CategoryPath,
    headers: ConditionalChange,
    body: NewCategory,
  },
  answers: { 200: categoryAnswer("The category was renamed."), 201: categoryAnswer("The category was created.") },
  refusals: ["category_not_found", "precondition_failed", "category_exists"],
  handle:
    (services) =>
    async ({ params, headers, body, context }) => {
      const { category, isNew } = await categoryAdministration(services, context).put(
        { id: params.categoryId, name: body.name },
        services.clock(),
        preconditionsIn(headers),
      );
      return categoryResponse(context, isNew ? 201 : 200, category);
    },
});
