import { SingleBar } from "cli-progress";
import type { Input } from "../../adapters/files/input.ts";
import type { ImportReport } from "./report.ts";

const WITH_END = "{bar} {percentage}%  {pets} pets  {rate} a second  {eta_formatted} left";
const WITHOUT_END = "{pets} pets  {rate} a second  {duration_formatted}";

/** How far an import is, drawn on standard error where that is a terminal. */
export class ImportProgress {
  readonly #bar: SingleBar;
  readonly #input: Input;
  readonly #report: ImportReport;

  constructor(input: Input, report: ImportReport) {
    this.#input = input;
    this.#report = report;
    this.#bar = new SingleBar({
      format: input.size === undefined ? WITHOUT_END : WITH_END,
      stream: process.stderr,
      barCompleteChar: "█",
      barIncompleteChar: "░",
      barsize: 30,
      fps: 5,
      etaBuffer: 50,
      // It would answer Ctrl-C by itself, before the import has.
      gracefulExit: false,
    });
    this.#bar.start(input.size ?? 0, 0, this.#payload());
  }

  update(): void {
    this.#bar.update(this.#input.bytesRead, this.#payload());
  }

  stop(): void {
    this.#bar.stop();
  }

  #payload() {
    const { imported, rate } = this.#report;
    return { pets: imported.toLocaleString("en"), rate: rate.toLocaleString("en") };
  }
}
