import { PetstoreError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json/parse.ts";
import { toJson } from "../../domain/json/write.ts";
import type { Pet } from "../../domain/pets/pet.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** The pets of an NDJSON file, one JSON object a line. Blank lines are passed over; `largest` is in bytes. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>, largest: number): AsyncGenerator<Entry[]> {
  for await (const lines of readLines(chunks, largest)) {
    yield lines.filter((line) => !isBlank(line)).map((line) => readLine(line, largest));
  }
}

function readLine({ number, bytes, isTooLong }: Line, largest: number): Entry {
  if (isTooLong) return tooLong(number, bytes, largest);
  try {
    return entryOf(number, parseJson(bytes, "The line"), bytes);
  } catch (error) {
    if (error instanceof PetstoreError) return rejected(number, error.message, bytes);
    throw error;
  }
}

/** Pets as NDJSON, integers exact to the digit. */
export function writeNdjson(pets: Pet[]): string {
  return pets.map((pet) => `${toJson(pet)}\n`).join("");
}
