import type { Rejected } from "../../adapters/files/entry.ts";
import type { Batch } from "../../wiring/import-pets.ts";
import { reasonOf } from "../format-error.ts";

/** The results of an import so far. */
export class ImportReport {
  imported = 0;
  rejected = 0;
  /** The last line that was processed. */
  #line = 0;
  #firstRejected: Rejected | undefined;
  readonly #rejectedPath: string;
  readonly #startedAt = performance.now();

  constructor(rejectedPath: string) {
    this.#rejectedPath = rejectedPath;
  }

  add({ added, rejected, line }: Batch): void {
    this.imported += added;
    this.rejected += rejected.length;
    this.#firstRejected ??= rejected[0];
    this.#line = line;
  }

  /** Pets per second. */
  get rate(): number {
    return Math.round(this.imported / Math.max(this.#seconds, 0.001));
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Adds the pets that stay in the catalogue to the message of the error that ended the import. */
  cutShortBy(error: unknown): unknown {
    if (this.#line === 0) return error;
    const done = `${count(this.imported, "pet")} up to line ${this.#line} were added and stay`;
    return new Error(`the import failed; ${done}. Reason: ${reasonOf(error)}`);
  }

  toJson(isInterrupted: boolean) {
    return {
      imported: this.imported,
      rejected: this.rejected,
      seconds: Number(this.#seconds.toFixed(3)),
      lastLine: this.#line,
      isInterrupted,
      rejectedFile: this.rejected > 0 ? this.#rejectedPath : null,
    };
  }

  text(isInterrupted: boolean): string {
    const rate = `${this.rate.toLocaleString("en")} per second`;
    const lines = [`Imported ${count(this.imported, "pet")} in ${this.#seconds.toFixed(1)} s (${rate}).`];
    if (isInterrupted) lines.unshift(`Interrupted after line ${this.#line}.`);
    if (this.#firstRejected !== undefined) {
      const { line, reason } = this.#firstRejected;
      lines.push(
        `Rejected ${count(this.rejected, "line")}, listed in ${this.#rejectedPath}. The first, line ${line}: ${reason}`,
      );
    }
    return lines.join("\n");
  }
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
