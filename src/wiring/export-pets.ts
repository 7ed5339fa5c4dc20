import { setImmediate as nextTurn } from "node:timers/promises";
import { csvHeader, writeCsv, writeRawCsv } from "../adapters/files/csv.ts";
import type { Format } from "../adapters/files/format.ts";
import { writeNdjson } from "../adapters/files/ndjson.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import type { PetStatus } from "../domain/pets/pet.ts";

const writers = { ndjson: writeNdjson, csv: writeCsv, "raw-csv": writeRawCsv };

/** Yields a snapshot of the catalogue, or its pets of one status, as text. Calls `exported` with the size of each page. */
export async function* exportPets(
  bulk: BulkPets,
  format: Format,
  status: PetStatus | undefined,
  exported: (count: number) => void = () => {},
): AsyncGenerator<string> {
  if (format !== "ndjson") yield csvHeader();
  for await (const page of bulk.snapshot(status)) {
    exported(page.length);
    yield writers[format](page);
    // A fast reader takes each page at once, and pages of SQLite are read at once: requests need a turn between them.
    await nextTurn();
  }
}
