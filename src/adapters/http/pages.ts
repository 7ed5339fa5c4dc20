import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { ReadContext } from "./operation.ts";
import type { PublicContext, PublicOperation } from "./operations/operation.ts";
import type { PageCache } from "./page-cache.ts";
import { type AnyPage, nextQuery } from "./paging.ts";
import { etagOf, type Representation, tagOfText } from "./responses.ts";

/**
 * Shares one read between identical requests of one turn of the event loop. The read starts when the turn ends, after all
 * of these requests have arrived, so that each gets what its own read would have found.
 */
export class RequestCoalescer<T> {
  readonly #pending = new Map<string, Promise<T>>();

  /** Returns the result of `read`. Of several calls with the same key, only the first one's `read` runs. */
  run(key: string, read: () => Awaitable<T>): Promise<T> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const result = this.#endOfTurn(key).then(read);
    this.#pending.set(key, result);
    return result;
  }

  #endOfTurn(key: string): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#pending.delete(key);
        resolve();
      });
    });
  }
}

/** A list of the interface: which page a query selects, how to read it, and how to write its items. */
type List<Query, Page, Item> = {
  url: string;
  pageOf: (query: Query) => Page;
  read: (page: Page) => Awaitable<Item[]>;
  jsonOf: (item: Item) => unknown;
  tagOf: (item: Item) => string;
  /** Returns a number that changes whenever the store may have changed, if the store has one. */
  revision: () => number | undefined;
  cache: PageCache<PublicOperation>;
};

type Input<Query> = { readonly context: ReadContext<PublicContext>; readonly query: Query };

/**
 * Returns the `read` of a list, which gives a page and the link to the next one. The page for a URL comes from the cache while
 * nothing in the store has changed, otherwise from the store. Not async, and the query is parsed only to read the store: a
 * list is the hottest operation, and its page is mostly in the cache.
 */
export function pageReader<Query, Page extends AnyPage, Item extends { id: number | bigint }>(
  list: List<Query, Page, Item>,
): (input: Input<Query>) => Awaitable<Representation> {
  const { cache } = list;
  const coalescer = new RequestCoalescer<Representation>();
  return (input) => {
    const { request, path, route } = input.context;
    const revision = list.revision();
    if (revision === undefined) return coalescer.run(request.url, () => load(list, list.pageOf(input.query)));
    const cached = cache.get(request.url, revision);
    if (cached !== undefined) return cached.page;
    return after(load(list, list.pageOf(input.query)), (page) => {
      cache.add(request.url, revision, { page, path, route });
      return page;
    });
  };
}

/** Reads one item more than the page holds, to find out whether another page follows. */
function load<Query, Page extends AnyPage, Item extends { id: number | bigint }>(
  { url, read, jsonOf, tagOf }: List<Query, Page, Item>,
  page: Page,
): Awaitable<Representation> {
  return after(read({ ...page, limit: page.limit + 1 }), (found) => {
    const shown = found.slice(0, page.limit);
    const last = found.length > shown.length ? shown.at(-1) : undefined;
    const body = JSON.stringify(shown.map(jsonOf));
    const next = last && nextQuery(page, last.id);
    // The one item of a page that was requested by one id has its own tag there, for a change of it. Any other page changes
    // with its link too: a client that has the items may not know yet that another page follows.
    const [only] = page.ids?.length === 1 ? shown : [];
    return {
      body,
      etag: etagOf(only === undefined ? tagOfText(`${body}${next ?? ""}`) : tagOf(only)),
      link: next && `<${url}?${next}>; rel="next"`,
    };
  });
}
