import { ConditionalChange, preconditionsIn } from "../conditional.ts";
import { CategoryPath } from "../path-ids.ts";
import { noContent } from "../request-context.ts";
import { operation } from "./operation.ts";

/** DELETE /categories/{categoryId}. Source: docs/categories.md. */
export const deleteCategory = operation({
  id: "deleteCategory",
  method: "delete",
  path: "/categories/{categoryId}",
  scope: "pets:write",
  tag: "categories",
  summary: "Remove a category",
  description: "Removes a category that no pet has.",
  additionTo: "1.0.0",
  request: { params: CategoryPath, headers: ConditionalChange },
  answers: { 204: "The category was removed." },
  refusals: ["category_not_found", "precondition_failed", "category_in_use"],
  handle:
    ({ categories }) =>
    async ({ params, headers, context }) => {
      await categories.delete(params.categoryId, { preconditions: preconditionsIn(headers) });
      return noContent(context);
    },
});
