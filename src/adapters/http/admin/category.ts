import { CategoryAdministration } from "../../../domain/categories/administration.ts";
import { Category, categoryJson, exampleCategory, type StoredCategory } from "../../../domain/categories/category.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { etagOf } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import type { Services } from "./operations/operation.ts";
import { authorOf, json, type OperatorContext } from "./request-context.ts";

/** A response that has a category. */
export const categoryAnswer = (description: string) => ({
  description,
  schema: Category,
  example: exampleCategory,
  headers: { ETag: ref("ETag") },
});

export function categoryResponse(context: OperatorContext, status: number, category: StoredCategory): Response {
  return json(context, status, categoryJson(category), { ETag: etagOf(tagOfVersion(category.version)) });
}

/** Changes categories on behalf of the operator who sent the request. */
export function categoryAdministration({ categories }: Services, context: OperatorContext): CategoryAdministration {
  return new CategoryAdministration(categories, authorOf(context));
}
