import { readCsv, readRawCsv } from "../adapters/files/csv.ts";
import type { Accepted, Entry, Rejected } from "../adapters/files/entry.ts";
import type { Format } from "../adapters/files/format.ts";
import { InputStopped } from "../adapters/files/input.ts";
import { readNdjson } from "../adapters/files/ndjson.ts";
import { inPieces } from "../adapters/files/pieces.ts";
import { MAX_BODY_BYTES } from "../adapters/http/body.ts";
import { BATCH } from "../domain/pets/bulk.ts";
import type { NewPet } from "../domain/pets/pet.ts";

/** The outcome of some lines of a file, up to `line`: the number of pets added, and the lines that were rejected. */
export type Batch = { added: number; rejected: Rejected[]; line: number };

const readers = { ndjson: readNdjson, csv: readCsv, "raw-csv": readRawCsv };

/** Adds all pets or none. `line`: the last one that was read. */
type Add = (pets: NewPet[], line: number) => Promise<void>;

/** The bytes of rejected lines that a batch may hold, so that memory is bounded. */
const MOST_REJECTED_BYTES = 256 * 1024;

/**
 * Adds the pets of a file in batches, until it ends or is stopped, and yields the outcome of each. A line may be as long as
 * a request body. @throws FileError, service_unavailable; earlier batches stay added
 */
export async function* importPets(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  addAll: Add,
): AsyncGenerator<Batch> {
  let waiting: Entry[] = [];
  let rejectedBytes = 0;
  try {
    for await (const entries of readers[format](inPieces(chunks), MAX_BODY_BYTES)) {
      waiting.push(...entries);
      rejectedBytes += bytesOfRejected(entries);
      if (waiting.length < BATCH && rejectedBytes < MOST_REJECTED_BYTES) continue;
      yield await add(waiting, addAll);
      waiting = [];
      rejectedBytes = 0;
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
  if (waiting.length > 0) yield await add(waiting, addAll);
}

async function add(entries: Entry[], addAll: Add): Promise<Batch> {
  const pets = entries.filter(isAccepted).map(({ pet }) => pet);
  const line = entries.at(-1)?.line ?? 0;
  if (pets.length > 0) await addAll(pets, line);
  return { added: pets.length, rejected: entries.filter(isRejected), line };
}

function bytesOfRejected(entries: Entry[]): number {
  return entries.filter(isRejected).reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function isAccepted(entry: Entry): entry is Accepted {
  return "pet" in entry;
}

function isRejected(entry: Entry): entry is Rejected {
  return "reason" in entry;
}
