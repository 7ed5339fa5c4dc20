import { PetstoreError, unavailable } from "../../../domain/errors.ts";
import { toJson } from "../../../domain/json/write.ts";
import { statusOf } from "../errors.ts";
import type { Format } from "./file.ts";

/** With `replace` a line that has an id changes that pet, with `replaceStatus` also one that a delivered order has sold. */
export type ImportOptions = { format: Format; replace: boolean; replaceStatus: boolean };

/**
 * The result of importing some lines of a file: how many pets were added and changed, how many stay sold although their line
 * says otherwise, and which lines were rejected.
 */
export type Batch = {
  added: number;
  changed: number;
  statusKept?: number;
  rejected: { line: number; reason: string }[];
};

/** The time between two reports of progress, in ms. */
const INTERVAL = 250;
/** The largest number of rejected lines in the last report. */
const MOST_REJECTIONS = 100;

/** The progress of an import, as lines of JSON (NDJSON). The last line reports the result. */
export class ImportProgress {
  readonly #replaces: boolean;
  readonly #onFailure: (error: PetstoreError) => void;
  readonly #rejections: { line: number; problem: string }[] = [];
  #imported = 0;
  #changed = 0;
  #statusKept = 0;
  #rejected = 0;
  #reportedAt = performance.now();

  /** `onFailure` receives an error of the service itself, of which the client sees only the code. */
  constructor({ replace }: Pick<ImportOptions, "replace">, onFailure: (error: PetstoreError) => void) {
    this.#replaces = replace;
    this.#onFailure = onFailure;
  }

  /**
   * A body that reports the first result and all that follow. It does not wait until it is read: a client that sends a
   * file may read nothing before the whole file is sent. When the client disconnects, the import ends.
   */
  stream(first: IteratorResult<Batch>, batches: AsyncGenerator<Batch>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let isCancelled = false;
    return new ReadableStream({
      start: (controller) => {
        const write = (line: object) => isCancelled || controller.enqueue(encoder.encode(`${toJson(line)}\n`));
        this.#follow(first, batches, write, () => isCancelled)
          .then(() => isCancelled || controller.close())
          // The connection ended during a report, so nobody can receive it.
          .catch(() => {});
      },
      cancel() {
        isCancelled = true;
      },
    });
  }

  async #follow(
    first: IteratorResult<Batch>,
    batches: AsyncGenerator<Batch>,
    write: (line: object) => void,
    isCancelled: () => boolean,
  ): Promise<void> {
    try {
      for (let result = first; !result.done; result = await batches.next()) {
        this.#count(result.value);
        if (isCancelled()) return void (await batches.return(undefined));
        if (performance.now() - this.#reportedAt < INTERVAL) continue;
        this.#reportedAt = performance.now();
        write(this.#sum);
      }
      write({ done: true, ...this.#sum, rejections: this.#rejections });
    } catch (thrown) {
      const error = thrown instanceof PetstoreError ? thrown : unavailable(thrown);
      if (error.isFailure) this.#onFailure(error);
      const { code, message } = error;
      const body = { code, message, status: statusOf(code) };
      write({ done: false, ...this.#sum, rejections: this.#rejections, error: body });
    }
  }

  get #sum() {
    const replaced = { changed: this.#changed, statusKept: this.#statusKept };
    return { imported: this.#imported, ...(this.#replaces && replaced), rejected: this.#rejected };
  }

  #count({ added, changed, statusKept = 0, rejected }: Batch): void {
    this.#imported += added;
    this.#changed += changed;
    this.#statusKept += statusKept;
    this.#rejected += rejected.length;
    const room = MOST_REJECTIONS - this.#rejections.length;
    this.#rejections.push(...rejected.slice(0, room).map(({ line, reason }) => ({ line, problem: reason })));
  }
}
