import {
  type Accepted,
  type Entry,
  FileError,
  type Format,
  isAccepted,
  isRejected,
  type ReadableContent,
  type Rejected,
} from "../adapters/files/content.ts";
import { InputStopped, smallChunks } from "../adapters/files/input.ts";
import { readItems } from "../adapters/files/read.ts";
import { MAX_BODY_BYTES } from "../adapters/http/body.ts";
import { PetstoreError } from "../domain/errors.ts";
import { BATCH } from "../domain/pets.ts";

/**
 * What became of some lines of a file: how many items were added, changed and already there, how many pets stay sold although
 * their line says otherwise, and the rejected lines.
 */
export type Outcome = { added: number; changed: number; unchanged: number; statusKept?: number; rejected: Rejected[] };

/** The outcome of the lines of a file up to `line`. */
export type Batch = Outcome & { line: number };

/** Imports valid lines, the last of which is `line`. */
export type Apply<Item> = (entries: Accepted<Item>[], line: number) => Promise<Outcome>;

/** The bytes of lines that a batch may hold, so that memory is bounded. */
const MOST_BYTES = 256 * 1024;

/**
 * Imports the items of a file in batches, until it ends or is stopped, and yields the outcome of each. A line may be as long
 * as a request body. @throws FileError, service_unavailable; earlier batches stay imported
 */
export async function* importItems<Item>(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  content: ReadableContent<Item>,
  apply: Apply<Item>,
): AsyncGenerator<Batch> {
  let waiting: Entry<Item>[] = [];
  let bytes = 0;
  try {
    for await (const entries of readItems(smallChunks(chunks), format, content, MAX_BODY_BYTES)) {
      waiting.push(...entries);
      bytes += entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
      if (waiting.length < BATCH && bytes < MOST_BYTES) continue;
      yield await importBatch(waiting, apply);
      waiting = [];
      bytes = 0;
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
  if (waiting.length > 0) yield await importBatch(waiting, apply);
}

async function importBatch<Item>(entries: Entry<Item>[], apply: Apply<Item>): Promise<Batch> {
  const line = entries.at(-1)?.line ?? 0;
  const outcome = await apply(entries.filter(isAccepted), line);
  const rejected = [...entries.filter(isRejected), ...outcome.rejected].toSorted((a, b) => a.line - b.line);
  return { ...outcome, rejected, line };
}

/** Yields the same batches. Turns a FileError into validation_failed, for a file that is a request body. */
export async function* withValidationErrors(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    throw error instanceof FileError ? new PetstoreError("validation_failed", { message: error.message }) : error;
  }
}
