import { expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, openIn] of openings) {
  const open = () => openIn((database) => new SqlitePets(database));
  petStoreConformance(name, open);
  petChangesConformance(name, open);
}

test("a change by another process is visible within the same turn of the event loop, if that takes long", () => {
  const file = temporaryFile();
  const database = new Database(file);
  const pets = new SqlitePets(database);
  const other = new DatabaseSync(file.path);
  for (let id = 1; id <= 3; id++) {
    database.refresh();
    const { revision } = database;
    expect(pets.get(BigInt(id))).toBeUndefined();
    other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
    const committed = performance.now();
    while (performance.now() - committed < 1);
    database.refresh();
    expect(database.revision).not.toBe(revision);
    expect(pets.get(BigInt(id))?.name).toBe("Rex");
  }
  other.close();
  database.close();
  file.remove();
});
