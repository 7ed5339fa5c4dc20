import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/**
 * Expects a text that others rely on to be as the file has it, which was read and agreed on. To change it, remove the file, run the
 * test, which writes it and fails, and look at what differs: is each fact true, and is what was possible still possible?
 */
export function expectKept(file: string, text: string): void {
  const isWriting = !existsSync(file);
  if (isWriting) writeFileSync(file, `${text}\n`);
  expect(isWriting).toBe(false);
  expect(text.split("\n")).toEqual(readFileSync(file, "utf8").trimEnd().split("\n"));
}
