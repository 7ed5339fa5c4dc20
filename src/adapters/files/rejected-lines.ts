import { appendFileSync, closeSync, openSync, rmSync } from "node:fs";
import { toJson } from "../../domain/json/write.ts";
import type { Rejected } from "./entry.ts";
import { fileError } from "./file-error.ts";

/**
 * The file of rejected lines, as NDJSON: `{"line":3,"reason":"name is required.","text":"{}"}`. Created with the first
 * rejected line; the file of an earlier import is removed. @throws FileError
 */
export class RejectedLines {
  readonly path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.#withFileError(() => rmSync(path, { force: true }));
  }

  add(entries: Rejected[]): void {
    if (entries.length === 0) return;
    this.#withFileError(() => {
      this.#file ??= openSync(this.path, "w");
      const lines = entries.map(({ line, reason, bytes }) => `${toJson({ line, reason, text: textOf(bytes) })}\n`);
      appendFileSync(this.#file, lines.join(""));
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #withFileError(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw fileError(this.path, "written", error);
    }
  }
}

const utf8 = new TextDecoder();

/** Bytes that are not UTF-8 become U+FFFD: the text is only shown, never imported. */
function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes).replace(/\r$/, "");
}
