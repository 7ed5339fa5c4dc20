import { after } from "../../../domain/awaitable.ts";
import { Categories, Category, categoryJson, exampleCategory, NewCategory } from "../../../domain/categories.ts";
import { tagOfVersion } from "../../../domain/changes.ts";
import { ofChange, ofCreation, ofPage } from "../openapi-headers.ts";
import { callerOf, operation, operationWithDoors } from "../operation.ts";
import { pageReader } from "../pages.ts";
import { CategoriesQuery, withLimit } from "../paging.ts";
import {
  CategoryPath,
  createdResponse,
  IdempotentRequest,
  idempotencyKeyOf,
  notFound,
  ofIdempotentCreation,
} from "../parameters.ts";
import { json, noContent } from "../request.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../responses.ts";

/** POST /categories. Source: docs/categories.md. */
export const createCategory = operation({
  id: "createCategory",
  route: "POST /categories",
  scope: "pets:write",
  summary: "Add a category",
  description:
    "Adds a category under an id that the service assigns. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response.",
  request: { headers: IdempotentRequest, body: NewCategory },
  answers: {
    201: {
      description: "The category was added.",
      schema: Category,
      example: exampleCategory,
      headers: ofIdempotentCreation,
    },
  },
  refusals: ["category_exists", "idempotency_in_progress", "idempotency_key_reused"],
  handle: async ({ categories, clock }, { body, headers, context }) => {
    const [now, { requestId }] = [clock(), context];
    const key = idempotencyKeyOf(headers, context.key.id, now);
    const { created, isReplay } = await categories.create(body, { key, now, requestId });
    return createdResponse(context, categoryJson(created), {
      location: `${context.path}/${created.id}`,
      tag: tagOfVersion(created.version),
      isReplay,
    });
  },
});

/** PUT /categories/{categoryId}. Source: docs/categories.md. */
export const putCategory = operationWithDoors({
  id: "putCategory",
  route: "PUT /categories/{categoryId}",
  scope: "pets:write",
  role: "admin",
  summary: "Name a category",
  description:
    "Renames the category, or adds it under this id, which may be any int64: an id that pets already have can be given a name. With `If-Match` it only renames, with `If-None-Match: *` it only adds.",
  forOperators: {
    summary: "Rename or create a category",
    description: "Renames the category with this id, or creates it, so that an id that pets already have gets a name.",
  },
  request: { params: CategoryPath, headers: ConditionalChange, body: NewCategory },
  answers: {
    200: {
      description: "The category has this name.",
      schema: Category,
      example: exampleCategory,
      headers: ofChange,
    },
    201: { description: "The category was added.", schema: Category, example: exampleCategory, headers: ofCreation },
  },
  refusals: ["category_not_found", "precondition_failed", "category_exists"],
  handle: async ({ categories, clock }, { params, headers, body, context }) => {
    const id = params.categoryId;
    const options = { ...callerOf(context).author, now: clock(), preconditions: preconditionsIn(headers) };
    const { category, isNew } = await categories.put({ ...body, id }, options);
    const tag = tagOfVersion(category.version);
    if (isNew) return createdResponse(context, categoryJson(category), { location: context.path, tag });
    return json(context, 200, categoryJson(category), { ETag: etagOf(tag) });
  },
});

/** GET /categories. Source: docs/categories.md. */
export const listCategories = operation({
  id: "listCategories",
  route: "GET /categories",
  scope: "pets:read",
  summary: "List categories",
  description: 'Returns a page of categories, by id, ascending. The `Link` with `rel="next"` leads to the next page.',
  request: { query: CategoriesQuery },
  answers: {
    200: {
      description: "A page of categories, possibly empty.",
      schema: Categories,
      example: [exampleCategory],
      headers: ofPage,
    },
  },
  read: (services) =>
    pageReader(services, { path: "/categories", pageOf: withLimit, store: services.categories, jsonOf: categoryJson }),
});

/** DELETE /categories/{categoryId}. Source: docs/categories.md. */
export const deleteCategory = operationWithDoors({
  id: "deleteCategory",
  route: "DELETE /categories/{categoryId}",
  scope: "pets:write",
  role: "admin",
  summary: "Remove a category",
  description: "Removes a category that no pet has.",
  request: { params: CategoryPath, headers: ConditionalChange },
  answers: { 204: "The category was removed." },
  refusals: ["category_not_found", "precondition_failed", "category_in_use"],
  handle: async ({ categories, clock }, { params, headers, context }) => {
    const preconditions = preconditionsIn(headers);
    await categories.delete(params.categoryId, { ...callerOf(context).author, now: clock(), preconditions });
    return noContent(context);
  },
});

/** GET /categories/{categoryId}. Source: docs/categories.md. */
export const getCategory = operationWithDoors({
  id: "getCategory",
  route: "GET /categories/{categoryId}",
  scope: "pets:read",
  role: "viewer",
  summary: "Get one category",
  description: "Returns the category with this id.",
  forOperators: { summary: "Get a category", description: "Returns a category with its ETag." },
  request: { params: CategoryPath },
  answers: { 200: { description: "The category.", schema: Category, example: exampleCategory } },
  refusals: ["category_not_found"],
  read:
    ({ categories }) =>
    ({ params }) =>
      after(categories.get(params.categoryId), (found) => {
        const category = found ?? notFound("category_not_found");
        return { body: JSON.stringify(categoryJson(category)), etag: etagOf(tagOfVersion(category.version)) };
      }),
});
