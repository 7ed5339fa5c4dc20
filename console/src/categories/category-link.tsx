import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Categories, Int64 } from "../api/responses.ts";
import { categoryHref } from "../route.ts";

/** The names of those of the categories that exist, by id. */
export type CategoryNames = ReadonlyMap<string, string>;

/** Fetches the names of at most 100 categories, and of at least one. */
export function useCategoryNames(ids: Int64[]): CategoryNames {
  const distinct = [...new Set(ids.map(String))].sort();
  const { value } = useFetch<Categories>(withQuery("/categories", { ids: distinct.join(",") }));
  return new Map(value?.categories.map(({ id, name }) => [String(id), name]));
}

/** A link to a category, by its name and id, or by its id alone: pets may name a category that does not exist. */
export function CategoryLink({ id, names }: { id: Int64; names: CategoryNames }) {
  const name = names.get(String(id));
  return name === undefined ? (
    <a href={categoryHref(id)}>{id}</a>
  ) : (
    <>
      <a href={categoryHref(id)}>{name}</a> <span class="faint">{id}</span>
    </>
  );
}
