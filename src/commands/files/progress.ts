import { SingleBar } from "cli-progress";
import type { Input } from "../../adapters/files/input.ts";
import type { ImportReport } from "./report.ts";

const WITH_SIZE = "{bar} {percentage}%  {count} {items}  {rate} per second  {eta_formatted} left";
const WITHOUT_SIZE = "{count} {items}  {rate} per second  {duration_formatted}";

/** The progress bar of an import, on standard error if that is a terminal. */
export class ImportProgress {
  readonly #bar: SingleBar;
  readonly #input: Input;
  readonly #report: ImportReport;

  constructor(input: Input, report: ImportReport) {
    this.#input = input;
    this.#report = report;
    this.#bar = new SingleBar({
      format: input.size === undefined ? WITHOUT_SIZE : WITH_SIZE,
      stream: process.stderr,
      barCompleteChar: "█",
      barIncompleteChar: "░",
      barsize: 30,
      fps: 5,
      etaBuffer: 50,
      // It would end the process on Ctrl-C before the import has stopped.
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
    const { accepted, noun, rate } = this.#report;
    return { count: accepted.toLocaleString("en"), items: noun[1], rate: rate.toLocaleString("en") };
  }
}
