import type { Pet, PetStatus } from "../pets/pet.ts";
import { type Database, read } from "./database.ts";
import type { SqlitePets } from "./pets.ts";

/** Animals read at a time. */
const PAGE = 1_000;

/**
 * All animals, or those of one status, by id, as they are at one moment: whatever is written meanwhile is not among them.
 * They come in pages, so that any number of them fits into memory. @throws service_unavailable when the file cannot be read
 */
export function* snapshotOf(database: Database, pets: SqlitePets, status?: PetStatus): Generator<Pet[]> {
  read(() => database.prepare("BEGIN").run());
  try {
    let after = 0n;
    for (;;) {
      const page = pets.list({ limit: PAGE, after, ...(status && { status }) });
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = BigInt(last.id);
    }
  } finally {
    database.prepare("COMMIT").run();
  }
}
