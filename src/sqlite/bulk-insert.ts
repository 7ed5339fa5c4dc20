import { setTimeout as pause } from "node:timers/promises";
import type { NewPet } from "../pets/pet.ts";
import type { Database } from "./database.ts";
import type { SqlitePets } from "./pets.ts";

/** Animals a commit: enough to share its disk sync, few enough to hold the file for some 10 ms only. */
export const BATCH = 2_000;
/** How long the file is left to others between two commits, in ms: a waiting service asks for it every 3 ms. */
const ROOM = 10;

/** Adds very many animals to a file that a service may be using: its own writes come in between. */
export class BulkInsert {
  readonly #database: Database;
  readonly #pets: SqlitePets;
  #lastCommit = -Infinity;

  constructor(database: Database, pets: SqlitePets) {
    this.#database = database;
    this.#pets = pets;
  }

  /** Adds a batch, all of it or nothing. It is durable when the promise resolves. @throws service_unavailable */
  async add(pets: NewPet[]): Promise<void> {
    const room = this.#lastCommit + ROOM - performance.now();
    if (room > 0) await pause(room);
    await this.#database.write(() => {
      for (const pet of pets) this.#pets.insert(pet);
    });
    this.#lastCommit = performance.now();
  }
}
