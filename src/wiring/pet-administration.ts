import { csvHeader, writeCsv } from "../adapters/files/csv.ts";
import { FileError } from "../adapters/files/file-error.ts";
import type { Format } from "../adapters/files/format.ts";
import { writeNdjson } from "../adapters/files/ndjson.ts";
import type { Action, Author } from "../domain/audit/entry.ts";
import type { AuditLog } from "../domain/audit/log.ts";
import type { Clock } from "../domain/clock.ts";
import { PetstoreError } from "../domain/errors.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import { petJson } from "../domain/pets/json.ts";
import type { NewPet, Pet, PetStatus } from "../domain/pets/pet.ts";
import type { PetStore } from "../domain/pets/store.ts";
import { type Batch, importPets } from "./import-pets.ts";

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
  async create(newPet: NewPet): Promise<Pet> {
    const pet = await this.#stores.pets.create(newPet);
    await this.#log("pet.create", { target: String(pet.id), after: petJson(pet) });
    return pet;
  }

  /**
   * Adds the pets of a file; see `importPets`. Logs an audit entry before the first pet is added, and one with the counts
   * when the import has ended or failed.
   */
  async *import(chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<Batch> {
    const result = { imported: 0, rejected: 0, isWhole: false };
    await this.#log("pets.import.begin", { after: { format } });
    try {
      for await (const batch of importPets(chunks, format, this.#stores.bulk)) {
        result.imported += batch.added;
        result.rejected += batch.rejected.length;
        yield batch;
      }
      result.isWhole = true;
    } finally {
      await this.#log("pets.import.end", { after: result });
    }
  }

  #log(action: Action, change: { target?: string; after: object }): Promise<void> {
    return this.#stores.audit.append({ ...this.#author, at: this.#clock(), action, ...change });
  }
}

/** Yields a snapshot of the catalogue, or its pets of one status, as text. Calls `exported` with the size of each page. */
export async function* exportPets(
  bulk: BulkPets,
  format: Format,
  status: PetStatus | undefined,
  exported: (count: number) => void = () => {},
): AsyncGenerator<string> {
  if (format === "csv") yield csvHeader();
  for await (const page of bulk.snapshot(status)) {
    exported(page.length);
    yield format === "csv" ? writeCsv(page) : writeNdjson(page);
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
