import { PetstoreError, unavailable } from "../../../domain/errors.ts";
import { toJson } from "../../../domain/json/write.ts";
import { statusOf } from "../errors.ts";
import type { Batch } from "./catalogue.ts";

/** How often the sender of a file is told how far it is, in ms. */
const EVERY = 250;
/** How many lines that are no pet are told of, with what is wrong with them. */
const MOST_REJECTIONS = 100;

/** How far an import is, told line by line (NDJSON) while it goes on; the last line tells how it ended. */
export class ImportProgress {
  readonly #onFailure: (error: PetstoreError) => void;
  readonly #rejections: { line: number; problem: string }[] = [];
  #imported = 0;
  #rejected = 0;
  #toldAt = performance.now();

  /** `onFailure` is told of an error that the sender is told nothing of but that there was one. */
  constructor(onFailure: (error: PetstoreError) => void) {
    this.#onFailure = onFailure;
  }

  /**
   * A body that tells of the first result and of all that follow. It does not wait until it is read: who sends a file may
   * read nothing before all of it is sent. Whoever goes away ends the import.
   */
  tellOf(first: IteratorResult<Batch>, batches: AsyncGenerator<Batch>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let isGone = false;
    return new ReadableStream({
      start: (controller) => {
        const tell = (line: object) => isGone || controller.enqueue(encoder.encode(`${toJson(line)}\n`));
        this.#follow(first, batches, tell, () => isGone)
          .then(() => isGone || controller.close())
          // The connection ended in the very moment in which something was to be told: nobody is there to be told of it.
          .catch(() => {});
      },
      cancel() {
        isGone = true;
      },
    });
  }

  async #follow(
    first: IteratorResult<Batch>,
    batches: AsyncGenerator<Batch>,
    tell: (line: object) => void,
    isGone: () => boolean,
  ): Promise<void> {
    try {
      for (let result = first; !result.done; result = await batches.next()) {
        this.#count(result.value);
        if (isGone()) return void (await batches.return(undefined));
        if (performance.now() - this.#toldAt < EVERY) continue;
        this.#toldAt = performance.now();
        tell(this.#sum);
      }
      tell({ done: true, ...this.#sum, rejections: this.#rejections });
    } catch (error) {
      const { code, message } = this.#refusalOf(error);
      const status = statusOf(code);
      tell({ done: false, ...this.#sum, rejections: this.#rejections, error: { code, message, status } });
    }
  }

  get #sum() {
    return { imported: this.#imported, rejected: this.#rejected };
  }

  #count({ added, rejected }: Batch): void {
    this.#imported += added;
    this.#rejected += rejected.length;
    const room = MOST_REJECTIONS - this.#rejections.length;
    this.#rejections.push(...rejected.slice(0, room).map(({ line, reason }) => ({ line, problem: reason })));
  }

  #refusalOf(error: unknown): PetstoreError {
    const refusal = error instanceof PetstoreError ? error : unavailable(error);
    if (refusal.isFailure) this.#onFailure(refusal);
    return refusal;
  }
}
