import { crc32 } from "node:zlib";
import type { Representation } from "./responses.ts";
import type { Route } from "./routes.ts";

/** A page of a list, with the path and the route of the requests for it. */
export type CachedPage<O> = { page: Representation; path: string; route: Route<O> };

const MOST_CHARACTERS = 8_000_000;
/** The number of places for checksums of URLs that were requested once. */
const PLACES = 4_096;

/**
 * Pages by the URLs of their requests. The cache is exact: each request compares the store's revision, and a new revision empties
 * the cache. A page is cached on its second request, so that a client that reads the whole catalogue does not fill it.
 */
export class PageCache<O> {
  readonly #pages = new Map<string, CachedPage<O>>();
  /**
   * Checksums of URLs that were requested once, the latest in each place. A URL with the checksum of another is only cached one
   * request early. URLs themselves would be objects that each collection of the heap visits: a set of 4,000 took 9 % of the
   * processor time of lists that are not cached.
   */
  readonly #seenOnce = new Uint32Array(PLACES);
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
    const checksum = crc32(url);
    const place = checksum % PLACES;
    if (this.#seenOnce[place] === checksum) this.#keep(url, revision, cached);
    else this.#seenOnce[place] = checksum;
  }

  #keep(url: string, revision: number, cached: CachedPage<O>): void {
    const characters = url.length + cached.page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    this.#pages.set(url, cached);
  }

  #empty(revision: number): void {
    this.#pages.clear();
    this.#seenOnce.fill(0);
    this.#characters = 0;
    this.#revision = revision;
  }
}
