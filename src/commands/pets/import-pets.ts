import { readCsv } from "../../files/csv.ts";
import type { Accepted, Entry, Rejected } from "../../files/entry.ts";
import type { Format } from "../../files/format.ts";
import { type Input, InputStopped } from "../../files/input.ts";
import { readNdjson } from "../../files/ndjson.ts";
import type { RejectedLines } from "../../files/rejected-lines.ts";
import { LARGEST_BODY } from "../../http/body.ts";
import { BATCH, type BulkPets } from "../../pets/bulk.ts";
import type { ImportReport } from "./report.ts";

type Parts = { input: Input; format: Format; animals: BulkPets; rejected: RejectedLines; report: ImportReport };

const readers = { ndjson: readNdjson, csv: readCsv };

/**
 * Adds the animals of the input, batch by batch, until it ends or is stopped. A line may be as long as the body that
 * creates an animal. `report` tells at any time how far it is; `progressed` is called after every batch.
 */
export async function importPets(parts: Parts, progressed: () => void): Promise<void> {
  let waiting: Entry[] = [];
  const commit = async (count: number) => {
    await add(waiting.slice(0, count), parts);
    waiting = waiting.slice(count);
    progressed();
  };
  try {
    for await (const entries of readers[parts.format](parts.input.chunks(), LARGEST_BODY)) {
      waiting = waiting.concat(entries);
      while (waiting.length >= BATCH) await commit(BATCH);
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
  while (waiting.length > 0) await commit(BATCH);
}

async function add(entries: Entry[], { animals, rejected, report }: Parts): Promise<void> {
  const good = entries.filter(isAccepted);
  const bad = entries.filter(isRejected);
  if (good.length > 0) await animals.add(good.map(({ pet }) => pet));
  report.added(good.length);
  rejected.add(bad);
  report.refused(bad);
  report.reached(entries.at(-1)?.line ?? 0);
}

function isAccepted(entry: Entry): entry is Accepted {
  return "pet" in entry;
}

function isRejected(entry: Entry): entry is Rejected {
  return "reason" in entry;
}
