import { unexpected } from "./errors.ts";
import { digitsOf, integerIn } from "./int64.ts";
import { linkTo } from "./link.ts";
import type { PetQuery } from "./pet.ts";

/** Returns the query string of a query. @throws RangeError for a number that is not an exact integer */
export function queryText({ limit, status, after, order, ids }: PetQuery): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set("limit", String(limit));
  if (status !== undefined) query.set("status", status);
  if (after !== undefined) query.set("after", digitsOf(after));
  if (order !== undefined) query.set("order", order);
  if (ids !== undefined) query.set("ids", ids.map(digitsOf).join());
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the query for the next page; undefined on the last page. @throws ConnectionError when the link to it is invalid */
export function nextQuery(headers: Headers, requestId: string): PetQuery | undefined {
  const address = linkTo("next", headers);
  if (address === undefined) return undefined;
  const query = queryIn(address);
  if (query.after === undefined) {
    throw unexpected("The response has an invalid link to the next page.", 200, requestId);
  }
  return query;
}

/** Returns the query in a link. Only the query of the link counts: the key is sent only to the base address. */
function queryIn(address: string): PetQuery {
  const query = new URLSearchParams(address.slice(address.indexOf("?") + 1));
  const integers = (name: string) => query.get(name)?.split(",").map(integerIn);
  const [limit, after, ids] = [query.get("limit"), integers("after")?.[0], integers("ids")];
  const [status, order] = [query.get("status"), query.get("order")];
  return {
    ...(limit !== null && { limit: Number(limit) }),
    ...(status !== null && { status: status as NonNullable<PetQuery["status"]> }),
    ...(after !== undefined && { after }),
    ...(order !== null && { order: order as NonNullable<PetQuery["order"]> }),
    ...(ids !== undefined && { ids: ids.filter((id) => id !== undefined) }),
  };
}
