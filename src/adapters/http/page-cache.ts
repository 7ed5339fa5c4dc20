import type { Representation } from "./conditional.ts";
import type { Route } from "./routes.ts";

/** A page of a list, with the path and the route of the requests for it. */
export type CachedPage<O> = { page: Representation; path: string; route: Route<O> };

/** The largest number of cached characters: of pages, and of URLs that were requested once. */
const MOST_CHARACTERS = 8_000_000;

/**
 * Pages by the URLs of their requests. The cache is exact: each request compares the store's revision, and a new revision empties
 * the cache. A page is cached on its second request, so that a client that reads the whole catalogue does not fill it.
 */
export class PageCache<O> {
  readonly #pages = new Map<string, CachedPage<O>>();
  readonly #seenOnce = new Set<string>();
  #revision: number | undefined;
  #characters = 0;

  /** Returns the page for this URL, or undefined if it is not cached at this revision. */
  get(url: string, revision: number): CachedPage<O> | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#pages.get(url);
  }

  /** Adds a page that was read at this revision of the store or later. */
  add(url: string, revision: number, cached: CachedPage<O>): void {
    if (revision !== this.#revision) return;
    const isFirst = !this.#seenOnce.has(url);
    const characters = isFirst ? url.length : cached.page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    if (isFirst) this.#seenOnce.add(url);
    else this.#pages.set(url, cached);
  }

  #empty(revision: number): void {
    this.#pages.clear();
    this.#seenOnce.clear();
    this.#characters = 0;
    this.#revision = revision;
  }
}
