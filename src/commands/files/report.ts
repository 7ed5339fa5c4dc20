import type { Rejected } from "../../adapters/files/content.ts";
import type { Batch } from "../../wiring/import-items.ts";
import { count, type Noun } from "../count.ts";
import { reasonOf } from "../format-error.ts";

/** The results of an import so far. */
export class ImportReport {
  rejected = 0;
  readonly noun: Noun;
  #added = 0;
  #changed = 0;
  #unchanged = 0;
  /** Undefined for an import that changes no status. */
  #statusKept: number | undefined;
  /** The last line that was processed. */
  #line = 0;
  #firstRejected: Rejected | undefined;
  readonly #rejectedPath: string;
  readonly #startedAt = performance.now();

  constructor(noun: Noun, rejectedPath: string) {
    this.noun = noun;
    this.#rejectedPath = rejectedPath;
  }

  add({ added, changed, unchanged, statusKept, rejected, line }: Batch): void {
    this.#added += added;
    this.#changed += changed;
    this.#unchanged += unchanged;
    if (statusKept !== undefined) this.#statusKept = (this.#statusKept ?? 0) + statusKept;
    this.rejected += rejected.length;
    this.#firstRejected ??= rejected[0];
    this.#line = line;
  }

  /** The items that were read and not rejected. */
  get accepted(): number {
    return this.#added + this.#changed + this.#unchanged;
  }

  /** Accepted items per second. */
  get rate(): number {
    return Math.round(this.accepted / Math.max(this.#seconds, 0.001));
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Adds what stays imported to the message of the error that ended the import. */
  cutShortBy(error: unknown): unknown {
    if (this.#line === 0) return error;
    const changed = this.#changed === 0 ? "" : `, changed ${this.#changed.toLocaleString("en")}`;
    const done = `the import failed after line ${this.#line}. It added ${count(this.#added, this.noun)}${changed}: these stay`;
    return new Error(`${done}. Reason: ${reasonOf(error)}`);
  }

  toJson(isInterrupted: boolean) {
    return {
      imported: this.#added,
      changed: this.#changed,
      unchanged: this.#unchanged,
      ...(this.#statusKept !== undefined && { statusKept: this.#statusKept }),
      rejected: this.rejected,
      seconds: Number(this.#seconds.toFixed(3)),
      lastLine: this.#line,
      isInterrupted,
      rejectedFile: this.rejected > 0 ? this.#rejectedPath : null,
    };
  }

  text(isInterrupted: boolean): string {
    const [changed, unchanged] = [this.#changed, this.#unchanged].map((number) => number.toLocaleString("en"));
    const others = this.#changed + this.#unchanged === 0 ? "" : `, changed ${changed}, left ${unchanged} unchanged,`;
    const time = `in ${this.#seconds.toFixed(1)} s (${this.rate.toLocaleString("en")} per second)`;
    const lines = [`Imported ${count(this.#added, this.noun)}${others} ${time}.`];
    if (isInterrupted) lines.unshift(`Interrupted after line ${this.#line}.`);
    if (this.#statusKept !== undefined && this.#statusKept > 0) {
      const kept = count(this.#statusKept, ["pet", "pets"]);
      lines.push(`Kept the status of ${kept} that a delivered order has sold. To change it, add --replace-status.`);
    }
    if (this.#firstRejected !== undefined) {
      const { line, reason } = this.#firstRejected;
      const rejected = count(this.rejected, ["line", "lines"]);
      lines.push(`Rejected ${rejected}, listed in ${this.#rejectedPath}. The first, line ${line}: ${reason}`);
    }
    return lines.join("\n");
  }
}
