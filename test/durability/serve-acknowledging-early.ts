/**
 * The service as `petstore serve` runs it, but for one thing: its store acknowledges pets at once and commits them
 * a moment later. The crash test must detect that.
 */
import { DatabaseSync } from "node:sqlite";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { DEFAULT_STATUS, FIRST_VERSION, type NewPet } from "../../src/domain/pets.ts";

/** The time between acknowledgement and commit, in ms. */
const DELAY = 20;

const commit = SqlitePets.prototype.create;
let last: number | undefined;

SqlitePets.prototype.create = async function (pet: NewPet) {
  last = (last ?? lastId()) + 1;
  setTimeout(() => commit.call(this, pet, { now: Date.now() }), DELAY);
  return { ...pet, id: last, status: pet.status ?? DEFAULT_STATUS, version: FIRST_VERSION };
};

/** The last id: only this process creates ids. */
function lastId(): number {
  const file = new DatabaseSync(process.env.DATABASE_URL?.replace("sqlite:", "") ?? "", { readOnly: true });
  const row = file.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").get();
  file.close();
  return Number(row?.seq ?? 0);
}

process.argv[2] = "serve";
await import("../../src/main.ts");
