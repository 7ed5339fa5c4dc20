import { KeyAdministration } from "../src/keys/administration.ts";
import { scopes } from "../src/keys/key.ts";
import { LARGEST_LIMIT } from "../src/limits/plans.ts";
import { type NewPet, PetStatus } from "../src/pets/pet.ts";
import { Database } from "../src/sqlite/database.ts";
import { SqliteKeys } from "../src/sqlite/keys.ts";
import { SqlitePets } from "../src/sqlite/pets.ts";

/** A database with the animals 1 to `size` and one Enterprise key that no load uses up. */
export type Catalogue = { path: string; size: number; secret: string };

const ROWS_A_COMMIT = 20_000;
const names = ["Rex", "Whiskers", "Bubbles", "Clementine", "Old Ben"];

/** Writes a new catalogue through the service's own store. */
export async function createCatalogue(path: string, size: number): Promise<Catalogue> {
  const database = new Database(path);
  const pets = new SqlitePets(database);
  for (let made = 0; made < size; made += ROWS_A_COMMIT) {
    const last = Math.min(made + ROWS_A_COMMIT, size);
    await database.write(() => {
      for (let id = made + 1; id <= last; id++) pets.insert(animal(id));
    });
  }
  const administration = new KeyAdministration(new SqliteKeys(database), "production");
  const limits = { perMinute: LARGEST_LIMIT, perDay: LARGEST_LIMIT };
  const { secret } = await administration.create(
    { name: "benchmark", plan: "enterprise", limits, scopes: [...scopes] },
    Date.now(),
  );
  database.close();
  return { path, size, secret };
}

/** The animal with this id, the same in every catalogue. */
function animal(id: number): Required<NewPet> {
  const statuses = PetStatus.options;
  return {
    name: `${names[id % names.length]} ${id}`,
    categoryId: BigInt(id % 50),
    status: statuses[id % statuses.length] ?? "sold",
  };
}

/** The JSON text of one animal, worked out without the service: what its answer has to be. */
export function animalText(id: number): string {
  const { name, categoryId, status } = animal(id);
  return JSON.stringify({ id, name, categoryId: Number(categoryId), status });
}

/** The JSON text of the first 20 available animals above `after`, worked out without the service. */
export function pageText(after: number): string {
  const ids: number[] = [];
  for (let id = after + 1; ids.length < PAGE_SIZE; id++) if (animal(id).status === "available") ids.push(id);
  return `[${ids.map(animalText).join(",")}]`;
}

const PAGE_SIZE = 20;

/** The largest `after` that a whole page of a catalogue of this size follows: one animal in three is available. */
export function lastAfter(size: number): number {
  return size - PAGE_SIZE * PetStatus.options.length;
}
