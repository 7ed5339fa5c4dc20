import { FileError } from "../adapters/files/file-error.ts";
import type { Format } from "../adapters/files/format.ts";
import type { Action, Author, Entry } from "../domain/audit/entry.ts";
import type { AuditLog } from "../domain/audit/log.ts";
import type { Clock } from "../domain/clock.ts";
import { PetstoreError } from "../domain/errors.ts";
import { randomBase62 } from "../domain/keys/secret.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import type { NewPet } from "../domain/pets/pet.ts";
import { type Batch, importPets } from "./import-pets.ts";

/** On whose behalf pets are imported, and where to. */
export type ImportContext = { bulk: BulkPets; audit: AuditLog; author: Author; clock: Clock };

/**
 * Adds the pets of a file; see `importPets`. The import has an audit entry before the first pet is added, one in the
 * transaction of each batch, with the counts so far, and one when it has ended or failed. All have the same target.
 */
export async function* auditedImport(
  { bulk, audit, author, clock }: ImportContext,
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
): AsyncGenerator<Batch> {
  const target = `import_${randomBase62(16)}`;
  const result = { imported: 0, rejected: 0, isWhole: false };
  const entry = (action: Action, after: object): Entry => ({ ...author, at: clock(), action, target, after });
  const add = (pets: NewPet[], line: number) =>
    bulk.add(pets, entry("pets.import.batch", { imported: result.imported + pets.length, line }));
  await audit.append(entry("pets.import.begin", { format }));
  try {
    for await (const batch of importPets(chunks, format, add)) {
      result.imported += batch.added;
      result.rejected += batch.rejected.length;
      yield batch;
    }
    result.isWhole = true;
  } finally {
    await audit.append(entry("pets.import.end", result));
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
