import type { Author } from "../../../domain/audit/entry.ts";
import type { NewPet, Pet, PetStatus } from "../../../domain/pets/pet.ts";

export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

/** What became of some lines of a file: so many pets were added, and these lines are none. */
export type Batch = { added: number; rejected: { line: number; reason: string }[] };

/** What is done with the catalogue beside what everybody does with it. */
export type Catalogue = {
  create(author: Author, pet: NewPet): Promise<Pet>;
  /** Adds the pets of a file, and tells of every batch. @throws validation_failed for a file that is none of pets */
  import(author: Author, chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<Batch>;
  export(format: Format, status: PetStatus | undefined): AsyncGenerator<string>;
};
