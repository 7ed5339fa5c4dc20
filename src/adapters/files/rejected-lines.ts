import { appendFileSync, closeSync, openSync, rmSync } from "node:fs";
import { toJson } from "../../domain/json/write.ts";
import type { Rejected } from "./entry.ts";
import { fileError } from "./file-error.ts";

/**
 * A file of the lines that could not be imported, as NDJSON: `{"line":3,"reason":"name is required.","text":"{}"}`.
 * It exists only when there are any; one that an earlier import left is removed. @throws UnusableFile
 */
export class RejectedLines {
  readonly path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.#orExplain(() => rmSync(path, { force: true }));
  }

  add(entries: Rejected[]): void {
    if (entries.length === 0) return;
    this.#orExplain(() => {
      this.#file ??= openSync(this.path, "w");
      const lines = entries.map(({ line, reason, text }) => `${toJson({ line, reason, text })}\n`);
      appendFileSync(this.#file, lines.join(""));
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #orExplain(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw fileError(this.path, "written", error);
    }
  }
}
