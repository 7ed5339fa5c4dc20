import { ConditionalChange, preconditionsIn } from "../../conditional.ts";
import { CategoryPath } from "../../path-ids.ts";
import { noContent } from "../../request-context.ts";
import { categoryAdministration } from "../category.ts";
import { operation } from "./operation.ts";

/** DELETE /categories/{categoryId} */
export const deleteCategory = operation({
  id: "deleteCategory",
  method: "delete",
  path: "/categories/{categoryId}",
  role: "admin",
  tag: "categories",
  summary: "Remove a category",
  description: "Removes a category that no pet has.",
  request: { params: CategoryPath, headers: ConditionalChange },
  answers: { 204: "The category was removed." },
  refusals: ["category_not_found", "precondition_failed", "category_in_use"],
  handle:
    (services) =>
    async ({ params, headers, context }) => {
      await categoryAdministration(services, context).delete(
        params.categoryId,
        services.clock(),
        preconditionsIn(headers),
      );
      return noContent(context);
    },
});
