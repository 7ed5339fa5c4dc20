import { setImmediate as nextTurn } from "node:timers/promises";
import { csvHeader, writeCsv, writeRawCsv } from "../adapters/files/csv.ts";
import { FileError } from "../adapters/files/file-error.ts";
import type { Format } from "../adapters/files/format.ts";
import { writeNdjson } from "../adapters/files/ndjson.ts";
import type { Action, Author, Entry, EntryOf } from "../domain/audit/entry.ts";
import type { AuditLog } from "../domain/audit/log.ts";
import type { Clock } from "../domain/clock.ts";
import { PetstoreError } from "../domain/errors.ts";
import { randomBase62 } from "../domain/keys/secret.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import { petJson } from "../domain/pets/json.ts";
import type { NewPet, Pet, PetStatus } from "../domain/pets/pet.ts";
import type { PetStore } from "../domain/pets/store.ts";
import { type Batch, importPets } from "./import-pets.ts";

const writers = { ndjson: writeNdjson, csv: writeCsv, "raw-csv": writeRawCsv };

type Stores = { pets: PetStore; bulk: BulkPets; audit: AuditLog };

/** Changes the catalogue on behalf of `author`, with entries in the audit log. */
export class PetAdministration {
  readonly #stores: Stores;
  readonly #author: Author;
  readonly #clock: Clock;

  constructor(stores: Stores, author: Author, clock: Clock) {
    this.#stores = stores;
    this.#author = author;
    this.#clock = clock;
  }

  /** Adds a pet. */
  create(newPet: NewPet): Promise<Pet> {
    const entryOf: EntryOf<Pet> = (_, pet) =>
      this.#entry("pet.create", { target: String(pet?.id), after: pet === undefined ? {} : petJson(pet) });
    return this.#stores.pets.create(newPet, entryOf);
  }

  /**
   * Adds the pets of a file; see `importPets`. The import has an audit entry before the first pet is added, one in the
   * transaction of each batch, with the counts so far, and one when it has ended or failed. All have the same target.
   */
  async *import(chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<Batch> {
    const { bulk, audit } = this.#stores;
    const target = `import_${randomBase62(16)}`;
    const result = { imported: 0, rejected: 0, isWhole: false };
    const add = (pets: NewPet[], line: number) => {
      const after = { imported: result.imported + pets.length, line };
      return bulk.add(pets, this.#entry("pets.import.batch", { target, after }));
    };
    await audit.append(this.#entry("pets.import.begin", { target, after: { format } }));
    try {
      for await (const batch of importPets(chunks, format, add)) {
        result.imported += batch.added;
        result.rejected += batch.rejected.length;
        yield batch;
      }
      result.isWhole = true;
    } finally {
      await audit.append(this.#entry("pets.import.end", { target, after: result }));
    }
  }

  #entry(action: Action, change: { target: string; after: object }): Entry {
    return { ...this.#author, at: this.#clock(), action, ...change };
  }
}

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

/** Yields the same batches. Turns a FileError into validation_failed, for a file that is a request body. */
export async function* withValidationErrors(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    throw error instanceof FileError ? new PetstoreError("validation_failed", { message: error.message }) : error;
  }
}
