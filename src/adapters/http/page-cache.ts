import type { Representation } from "./conditional.ts";
import type { Route } from "./routes.ts";

/** A page of a list, with the path and the route of the requests for it. */
export type CachedPage<O> = { page: Representation; path: string; route: Route<O> };

/** The largest number of characters of cached pages, with their URLs. */
const MOST_CHARACTERS = 8_000_000;
/**
 * The largest number of characters of URLs that were requested once: about as many URLs as there are cached pages. Each of the
 * engine's collections visits all of a set that has changed: for 100,000 URLs that took a sixth of the processor time.
 */
const MOST_SEEN = 400_000;

/**
 * Pages by the URLs of their requests. The cache is exact: each request compares the store's revision, and a new revision empties
 * the cache. A page is cached on its second request, so that a client that reads the whole catalogue does not fill it.
 */
export class PageCache<O> {
  readonly #pages = new Map<string, CachedPage<O>>();
  readonly #seenOnce = new Set<string>();
  #revision: number | undefined;
  #characters = 0;
  #seenCharacters = 0;

  /** Returns the page for this URL, or undefined if it is not cached at this revision. */
  get(url: string, revision: number): CachedPage<O> | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#pages.get(url);
  }

  /** Adds a page that was read at this revision of the store or later. */
  add(url: string, revision: number, cached: CachedPage<O>): void {
    if (revision !== this.#revision) return;
    if (this.#seenOnce.has(url)) this.#keep(url, revision, cached);
    else this.#see(url);
  }

  #keep(url: string, revision: number, cached: CachedPage<O>): void {
    const characters = url.length + cached.page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    this.#pages.set(url, cached);
  }

  #see(url: string): void {
    if (this.#seenCharacters + url.length > MOST_SEEN) this.#forgetSeen();
    this.#seenCharacters += url.length;
    this.#seenOnce.add(url);
  }

  #forgetSeen(): void {
    this.#seenOnce.clear();
    this.#seenCharacters = 0;
  }

  #empty(revision: number): void {
    this.#pages.clear();
    this.#forgetSeen();
    this.#characters = 0;
    this.#revision = revision;
  }
}
