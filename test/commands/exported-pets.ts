import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import type { NewPet } from "../../src/domain/pets.ts";
import { databasePathOf } from "../support/store.ts";
import type { Workplace } from "./petstore.ts";

/** More than a page of what is read at a time, among them every odd name. */
export const pets: Required<NewPet>[] = [
  { name: 'Rex, the "dog"', categoryId: INT64_MAX, status: "sold" },
  { name: " =cmd()\u2028'; DROP\u00a0🐕‍🦺 ", categoryId: INT64_MIN, status: "pending" },
  ...["=1+1", "'=1+1", "''@x", "-5", "+49", "'quoted'", "＝1", ";=1+1;x", "a|@b", "a, -b", "a;'=1", 'a;"+1'].map(
    (name) => ({
      name,
      categoryId: -7n,
      status: "pending" as const,
    }),
  ),
  ...Array.from({ length: 2_500 }, (_, i) => ({
    name: `Pet ${i}`,
    categoryId: BigInt(i),
    status: "available" as const,
  })),
];

/** Adds these pets to the database of a workplace. */
export async function fill({ directory }: Workplace, pets: NewPet[]): Promise<void> {
  const database = new Database({ path: databasePathOf(directory), deployment: "production" });
  const store = new SqlitePets(database);
  await Promise.all(pets.map((pet) => store.create(pet, { now: Date.now() })));
  database.close();
}
