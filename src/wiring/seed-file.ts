import { FileError, type Format, isRejected } from "../adapters/files/content.ts";
import { smallChunks } from "../adapters/files/input.ts";
import { newPets } from "../adapters/files/items.ts";
import { readItems } from "../adapters/files/read.ts";
import { MAX_BODY_BYTES } from "../adapters/http/body.ts";
import { PetstoreError } from "../domain/errors.ts";
import type { NewPet } from "../domain/pets.ts";
import { type Shop, sampleCategories } from "../domain/shop.ts";

/** The most pets of a file: while they are added, in one transaction, others wait to write. */
export const MAX_SEED_PETS = 10_000;

type Source = { chunks: AsyncIterable<Uint8Array>; format: Format };

/**
 * Reads a file of pets, as an import takes it, as a shop with the sample categories and without orders.
 * @throws validation_failed when a line is invalid, there are too many pets, or `checksCategories` and a category is none
 * of the sample's
 */
export async function readSeedFile({ chunks, format }: Source, checksCategories: boolean): Promise<Shop> {
  const pets: NewPet[] = [];
  try {
    for await (const entries of readItems(smallChunks(chunks), format, newPets, MAX_BODY_BYTES)) {
      for (const entry of entries) {
        if (isRejected(entry)) throw invalid(`Line ${entry.line}: ${entry.reason}`);
        if (checksCategories && !isSampleCategory(entry.item.categoryId)) {
          throw invalid(`Line ${entry.line}: categoryId must be that of a sample category.`);
        }
        if (pets.push(entry.item) > MAX_SEED_PETS) throw invalid(tooMany());
      }
    }
  } catch (error) {
    throw error instanceof FileError ? invalid(error.message) : error;
  }
  return { categories: sampleCategories, pets, orders: [] };
}

function tooMany(): string {
  return `The file has more than ${MAX_SEED_PETS.toLocaleString("en")} pets. Import the others afterwards.`;
}

function isSampleCategory(id: bigint): boolean {
  return sampleCategories.some((category) => category.id === id);
}

function invalid(reason: string): PetstoreError {
  return new PetstoreError("validation_failed", { message: `${reason} Nothing was changed.` });
}
