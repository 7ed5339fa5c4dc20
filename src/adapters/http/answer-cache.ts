/** An answer's JSON text, and the query string of the page after it, where there is one. */
export type Answer = { body: string; next?: string | undefined };

/** Characters kept at most: of answers, and of what was asked once. */
const MOST_CHARACTERS = 8_000_000;

/**
 * Answers given before, by what was asked. Exact: it is emptied as soon as the store's revision differs, which is
 * looked at for every request. An answer is kept once it is asked for a second time, so that whoever walks through
 * the catalogue leaves nothing behind.
 */
export class AnswerCache {
  readonly #answers = new Map<string, Answer>();
  readonly #askedOnce = new Set<string>();
  #revision: number | undefined;
  #characters = 0;

  /** The answer to this question, when the catalogue still has this revision. */
  get(question: string, revision: number): Answer | undefined {
    if (revision !== this.#revision) this.#empty(revision);
    return this.#answers.get(question);
  }

  /** Takes note of an answer that was looked up after the store had this revision. */
  note(question: string, revision: number, answer: Answer): void {
    if (revision !== this.#revision) return;
    const isFirst = !this.#askedOnce.has(question);
    const characters = isFirst ? question.length : answer.body.length;
    if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);
    this.#characters += characters;
    if (isFirst) this.#askedOnce.add(question);
    else this.#answers.set(question, answer);
  }

  #empty(revision: number): void {
    this.#answers.clear();
    this.#askedOnce.clear();
    this.#characters = 0;
    this.#revision = revision;
  }
}
