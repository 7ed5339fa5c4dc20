import { unexpected } from "./errors.ts";
import { digitsOf, integerIn } from "./int64.ts";
import { linkTo } from "./link.ts";
import type { Int64 } from "./schema.ts";

/** The largest page of the service, and the largest number of `ids` in a request. */
export const MOST = 100;

/** The parameters of lists, in the order in which they are sent. */
const PARAMETERS = ["limit", "status", "after", "order", "ids", "categoryId", "name", "petId"] as const;
const TEXTS: readonly string[] = ["status", "order", "name"];

/** A query of any list. */
export type ListQuery = {
  [Parameter in (typeof PARAMETERS)[number]]?: string | Int64 | readonly Int64[] | undefined;
};

/** Returns the query string of a query. @throws RangeError for a number that is not an exact integer */
export function queryText(query: ListQuery): string {
  const search = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = query[name];
    if (value === undefined) continue;
    search.set(name, typeof value === "string" ? value : [value].flat().map(digitsOf).join());
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the query for the next page; undefined on the last page. @throws ConnectionError when the link to it is invalid */
export function nextQuery(headers: Headers, requestId: string): ListQuery | undefined {
  const address = linkTo("next", headers);
  if (address === undefined) return undefined;
  const query = queryIn(address);
  if (query.after === undefined) {
    throw unexpected("The response has an invalid link to the next page.", 200, requestId);
  }
  return query;
}

/** Returns the query in a link. Only the query of the link counts: the key is sent only to the base address. */
function queryIn(address: string): ListQuery {
  const search = new URLSearchParams(address.slice(address.indexOf("?") + 1));
  const query: ListQuery = {};
  for (const name of PARAMETERS) {
    const text = search.get(name);
    if (text === null) continue;
    const integers = text.split(",").flatMap((part) => integerIn(part) ?? []);
    query[name] = TEXTS.includes(name) ? text : name === "ids" ? integers : integers[0];
  }
  return query;
}

/** Iterates over the pages from this query on, each of 100 resources or `limit`. */
export async function* pagesFrom<Query extends ListQuery, Page extends { readonly next: Query | undefined }>(
  query: Query,
  list: (query: Query) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let next: Query | undefined = { ...query, limit: query.limit ?? MOST };
  while (next !== undefined) {
    const page: Page = await list(next);
    yield page;
    next = page.next;
  }
}
