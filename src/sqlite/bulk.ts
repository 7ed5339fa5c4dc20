import { setTimeout as pause } from "node:timers/promises";
import { type BulkPets, SNAPSHOT_PAGE } from "../pets/bulk.ts";
import type { NewPet, Pet, PetStatus } from "../pets/pet.ts";
import { type Database, read } from "./database.ts";
import type { SqlitePets } from "./pets.ts";

/** How long the file is left to others between two commits, in ms: a waiting service asks for it every 3 ms. */
const ROOM = 10;

/** Very many animals in and out of a file that a service may be using. */
export class SqliteBulk implements BulkPets {
  readonly #database: Database;
  readonly #pets: SqlitePets;
  #lastCommit = -Infinity;

  constructor(database: Database, pets: SqlitePets) {
    this.#database = database;
    this.#pets = pets;
  }

  async add(pets: NewPet[]): Promise<void> {
    const room = this.#lastCommit + ROOM - performance.now();
    if (room > 0) await pause(room);
    await this.#database.write(() => {
      for (const pet of pets) this.#pets.insert(pet);
    });
    this.#lastCommit = performance.now();
  }

  *snapshot(status?: PetStatus): Generator<Pet[]> {
    read(() => this.#database.prepare("BEGIN").run());
    try {
      let after = 0n;
      for (;;) {
        const page = this.#pets.list({ limit: SNAPSHOT_PAGE, after, ...(status && { status }) });
        const last = page.at(-1);
        if (last === undefined) return;
        yield page;
        after = BigInt(last.id);
      }
    } finally {
      this.#database.prepare("COMMIT").run();
    }
  }
}
