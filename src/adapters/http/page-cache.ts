/** A page of pets as JSON text, and the query string of the page after it, where there is one. */
export type CachedPage = { body: string; next?: string | undefined };

/** Characters kept at most: of pages, and of the query strings that were seen once. */
const MOST_CHARACTERS = 8_000_000;

/**
 * Pages by the query string that asked for them. Exact: the cache is emptied as soon as the store has another revision,
 * which every request compares. A page is kept from its second request on: a client that walks through the catalogue
 * leaves nothing behind.
 */
export class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  readonly #seenOnce = new Set<string>();
  #revision: number | undefined;
  #characters = 0;

  /** The page for this query string, if the store still has this revision. */
  get(query: string, revision: number): CachedPage | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#pages.get(query);
  }

  /** Adds a page that was read after the store had this revision. */
  add(query: string, revision: number, page: CachedPage): void {
    if (revision !== this.#revision) return;
    const isFirst = !this.#seenOnce.has(query);
    const characters = isFirst ? query.length : page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    if (isFirst) this.#seenOnce.add(query);
    else this.#pages.set(query, page);
  }

  #empty(revision: number): void {
    this.#pages.clear();
    this.#seenOnce.clear();
    this.#characters = 0;
    this.#revision = revision;
  }
}
