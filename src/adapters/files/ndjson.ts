import { PetstoreError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json/parse.ts";
import { petJson } from "../../domain/pets/json.ts";
import type { Pet } from "../../domain/pets/pet.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** Reads pets from an NDJSON file: one JSON object per line, blank lines are skipped. `maxBytes`: the most bytes of a line. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Entry[]> {
  for await (const lines of readLines(chunks, maxBytes)) {
    yield lines.filter((line) => !isBlank(line)).map((line) => readLine(line, maxBytes));
  }
}

function readLine({ number, bytes, isTooLong }: Line, maxBytes: number): Entry {
  if (isTooLong) return tooLong(number, bytes, maxBytes);
  try {
    return entryOf(number, parseJson(bytes, "The line"), bytes);
  } catch (error) {
    if (error instanceof PetstoreError) return rejected(number, error.message, bytes);
    throw error;
  }
}

/** Formats pets as NDJSON with exact integers. */
export function writeNdjson(pets: Pet[]): string {
  return pets.map((pet) => `${JSON.stringify(petJson(pet))}\n`).join("");
}
