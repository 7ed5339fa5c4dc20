import { expect, test } from "bun:test";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { openOnPostgres } from "./opened.ts";

const open = () => openOnPostgres((database) => new PostgresPets(database));
petStoreConformance("PostgreSQL", open);
petChangesConformance("PostgreSQL", open);

test("equal pets that are added together have ascending ids", async () => {
  const opened = await openOnPostgres((database) => new PostgresPets(database));
  const rex = { name: "Rex", categoryId: 1n, status: "sold" as const };
  const pets = [rex, rex, { ...rex, name: "Mia" }, rex];
  const added = await Promise.all(pets.map((pet) => opened.store.create(pet)));
  expect(added.map(({ name }) => name)).toEqual(["Rex", "Rex", "Mia", "Rex"]);
  const ids = added.filter(({ name }) => name === "Rex").map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  await opened.close();
});
