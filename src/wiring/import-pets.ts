import { readCsv, readRawCsv } from "../adapters/files/csv.ts";
import type { Accepted, Entry, Rejected } from "../adapters/files/entry.ts";
import type { Format } from "../adapters/files/format.ts";
import { InputStopped } from "../adapters/files/input.ts";
import { readNdjson } from "../adapters/files/ndjson.ts";
import { MAX_BODY_BYTES } from "../adapters/http/body.ts";
import { BATCH, type BulkPets } from "../domain/pets/bulk.ts";

/** The outcome of some lines of a file, up to `line`: the number of pets added, and the lines that were rejected. */
export type Batch = { added: number; rejected: Rejected[]; line: number };

const readers = { ndjson: readNdjson, csv: readCsv, "raw-csv": readRawCsv };

/**
 * Adds the pets of a file in batches, until it ends or is stopped, and yields the outcome of each. A line may be as long as
 * a request body. @throws FileError, service_unavailable; earlier batches stay added
 */
export async function* importPets(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  pets: BulkPets,
): AsyncGenerator<Batch> {
  let waiting: Entry[] = [];
  const take = () => {
    const batch = waiting.slice(0, BATCH);
    waiting = waiting.slice(BATCH);
    return add(batch, pets);
  };
  try {
    for await (const entries of readers[format](chunks, MAX_BODY_BYTES)) {
      waiting = waiting.concat(entries);
      while (waiting.length >= BATCH) yield await take();
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
  while (waiting.length > 0) yield await take();
}

async function add(entries: Entry[], pets: BulkPets): Promise<Batch> {
  const accepted = entries.filter(isAccepted);
  if (accepted.length > 0) await pets.add(accepted.map(({ pet }) => pet));
  return { added: accepted.length, rejected: entries.filter(isRejected), line: entries.at(-1)?.line ?? 0 };
}

function isAccepted(entry: Entry): entry is Accepted {
  return "pet" in entry;
}

function isRejected(entry: Entry): entry is Rejected {
  return "reason" in entry;
}
