import type { Awaitable } from "../../domain/awaitable.ts";

/**
 * What is asked for several times in one turn of the event loop is looked up once, when the turn ends: after all who
 * wait for it had asked, so that each is given what its own look-up would have found.
 */
export class RequestCoalescer<T> {
  readonly #waiting = new Map<string, Promise<T>>();

  /** The answer to this question, which `ask` gives whoever asks. */
  answer(question: string, ask: () => Awaitable<T>): Promise<T> {
    const waiting = this.#waiting.get(question);
    if (waiting !== undefined) return waiting;
    const answer = this.#atTurnsEnd(question).then(ask);
    this.#waiting.set(question, answer);
    return answer;
  }

  #atTurnsEnd(question: string): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#waiting.delete(question);
        resolve();
      });
    });
  }
}
