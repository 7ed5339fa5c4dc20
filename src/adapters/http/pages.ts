import { crc32 } from "node:zlib";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { tagOfVersion } from "../../domain/changes.ts";
import type { EventStore } from "../../domain/events.ts";
import type { PetStore } from "../../domain/pets.ts";
import { type AnyPage, nextQuery } from "./paging.ts";
import type { HttpRequest } from "./request.ts";
import { etagOf, type Representation, tagOfText } from "./responses.ts";

const MOST_CHARACTERS = 8_000_000;
/** The number of places for checksums of URLs that were requested once. */
const PLACES = 4_096;

/**
 * Pages by the URLs of their requests. The cache is exact: each request compares the store's revision, and a new revision empties
 * the cache. A page is cached on its second request, so that a client that reads the whole catalogue does not fill it.
 */
export class PageCache {
  readonly #pages = new Map<string, Representation>();
  /**
   * Checksums of URLs that were requested once, the latest in each place. A URL with the checksum of another is only cached one
   * request early. URLs themselves would be objects that each collection of the heap visits: a set of 4,000 took 9 % of the
   * processor time of lists that are not cached.
   */
  readonly #seenOnce = new Uint32Array(PLACES);
  #revision: number | undefined;
  #characters = 0;

  /** Returns the page for this URL, or undefined if it is not cached at this revision. */
  get(url: string, revision: number): Representation | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#pages.get(url);
  }

  /** Adds a page that was read at this revision of the store or later. */
  add(url: string, revision: number, page: Representation): void {
    if (revision !== this.#revision) return;
    const checksum = crc32(url);
    const place = checksum % PLACES;
    if (this.#seenOnce[place] === checksum) this.#keep(url, revision, page);
    else this.#seenOnce[place] = checksum;
  }

  #keep(url: string, revision: number, page: Representation): void {
    const characters = url.length + page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    this.#pages.set(url, page);
  }

  /** Which URLs were requested once stays known: a page that many ask for is read once after each write. */
  #empty(revision: number): void {
    this.#pages.clear();
    this.#characters = 0;
    this.#revision = revision;
  }
}

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

/** A list of the interface: its path, which page a query selects, its store, and how to write its items. */
type List<Query, Page, Item> = {
  path: string;
  pageOf: (query: Query) => Page;
  store: { list: (page: Page) => Awaitable<Item[] & { readTo?: number }> };
  jsonOf: (item: NoInfer<Item>) => unknown;
};

/** The revision of the pets changes with any write to the store, which all lists share. */
type ListServices = {
  pets: Pick<PetStore, "revision">;
  events: Pick<EventStore, "position">;
  pages: PageCache;
  baseUrl: string;
};

type Listed = { id: number | bigint; version: number };

type Input<Query> = { readonly context: { request: HttpRequest }; readonly query: Query };

/**
 * Returns the `read` of a list, which gives a page and the link to the next one. The page for a URL comes from the cache while
 * nothing in the store has changed, otherwise from the store. Not async, and the query is parsed only to read the store: a
 * list is the hottest operation, and its page is mostly in the cache.
 */
export function pageReader<Query, Page extends AnyPage, Item extends Listed>(
  { pets, events, pages, baseUrl }: ListServices,
  list: List<Query, Page, Item>,
): (input: Input<Query>) => Awaitable<Representation> {
  // The position comes first: what is read later is at least as new. That of a cached page is as exact as the page.
  const read = (query: Query) =>
    after(events.position(), (position) => load(list, list.pageOf(query), baseUrl + list.path, String(position)));
  const coalescer = new RequestCoalescer<Representation>();
  return (input) => {
    const { url } = input.context.request;
    const revision = pets.revision();
    if (revision === undefined) return coalescer.run(url, () => read(input.query));
    const cached = pages.get(url, revision);
    if (cached !== undefined) return cached;
    return after(read(input.query), (page) => {
      pages.add(url, revision, page);
      return page;
    });
  };
}

/** Reads one item more than the page holds, to find out whether another page follows. */
function load<Query, Page extends AnyPage, Item extends Listed>(
  { store, jsonOf }: List<Query, Page, Item>,
  page: Page,
  url: string,
  position: string,
): Awaitable<Representation> {
  return after(store.list({ ...page, limit: page.limit + 1 }), (found) => {
    const shown = found.slice(0, page.limit);
    const last = found.length > shown.length ? shown.at(-1)?.id : found.readTo;
    const body = JSON.stringify(shown.map(jsonOf));
    const next = last === undefined ? undefined : nextQuery(page, last);
    // The one item of a page that was requested by one id has its own tag there, for a change of it. Any other page changes
    // with its link too: a client that has the items may not know yet that another page follows.
    const [only] = page.ids?.length === 1 ? shown : [];
    return {
      body,
      etag: etagOf(only === undefined ? tagOfText(`${body}${next ?? ""}`) : tagOfVersion(only.version)),
      link: next && `<${url}?${next}>; rel="next"`,
      position,
    };
  });
}
