import type { Author } from "../../../domain/audit/entry.ts";
import type { NewPet, Pet, PetStatus } from "../../../domain/pets/pet.ts";
import type { Format } from "./file.ts";

/** The result of importing some lines of a file: how many pets were added, and which lines were rejected. */
export type Batch = { added: number; rejected: { line: number; reason: string }[] };

/** The operators' actions on the catalogue of pets. */
export type PetAdministration = {
  create(author: Author, pet: NewPet): Promise<Pet>;
  /** Adds the pets of a file, batch by batch. @throws validation_failed when the whole file is invalid */
  import(author: Author, chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<Batch>;
  export(format: Format, status: PetStatus | undefined): AsyncGenerator<string>;
};
