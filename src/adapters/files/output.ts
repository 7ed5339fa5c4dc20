import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { codeOf, FileError, fileError } from "./file-error.ts";

type Texts = Iterable<string> | AsyncIterable<string>;

/** Writes texts to a file with backpressure. On failure the file stays as it was. @throws FileError */
export async function writeFile(path: string, texts: Texts): Promise<void> {
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw new FileError(`${path} cannot be written: it is a directory.`);
  }
  // A pipe or a device is written directly: it cannot be replaced by renaming a file.
  const isRegular = !existsSync(path) || statSync(path).isFile();
  const target = isRegular ? `${path}.unfinished-${randomUUID()}` : path;
  try {
    await pipeline(Readable.from(texts), createWriteStream(target));
    if (isRegular) renameSync(target, path);
  } catch (error) {
    if (isRegular) rmSync(target, { force: true });
    throw fileError(path, "written", error);
  }
}

/** @throws FileError when there is a file, which would be replaced; a pipe or a device is not */
export function requireNoFile(path: string): void {
  if (!existsSync(path) || !statSync(path).isFile()) return;
  throw new FileError(`${path} exists already. Choose another file, or replace it with --force.`);
}

/** Writes texts to a stream with backpressure. Stops without an error when the reader closes it. @throws FileError */
export async function writeTo(stream: Writable, name: string, texts: Texts): Promise<void> {
  try {
    await pipeline(Readable.from(texts), stream, { end: false });
  } catch (error) {
    if (!isClosed(error)) throw fileError(name, "written", error);
  }
}

function isClosed(error: unknown): boolean {
  return codeOf(error) === "EPIPE" || (error instanceof Error && "code" in error && isPremature(error.code));
}

function isPremature(code: unknown): boolean {
  return code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ERR_STREAM_DESTROYED";
}
