/** A page of the list as it was answered: its JSON text, and the query string of the page after it. */
export type AnsweredPage = { body: string; next: string | undefined };

/** Characters of JSON kept at most. */
const MOST_CHARACTERS = 8_000_000;

/**
 * Pages answered before, by their query string. Exact: it is emptied as soon as the store's revision differs,
 * which is asked for at every request. Without a revision nothing is kept.
 */
export class PageCache {
  readonly #pages = new Map<string, AnsweredPage>();
  #revision: number | undefined;
  #characters = 0;

  /** The page for this query, when the catalogue still has this revision. */
  get(query: string, revision: number | undefined): AnsweredPage | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#pages.get(query);
  }

  /** Keeps a page that was read after the store had this revision. */
  set(query: string, revision: number | undefined, page: AnsweredPage): void {
    if (revision === undefined || revision !== this.#revision) return;
    const characters = query.length + page.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#pages.set(query, page);
    this.#characters += characters;
  }

  #empty(revision: number | undefined): void {
    this.#pages.clear();
    this.#characters = 0;
    this.#revision = revision;
  }
}
