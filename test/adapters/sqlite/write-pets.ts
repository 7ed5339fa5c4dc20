/** Adds pets to the file that the first argument names, as many as the second says, and prints their ids. */
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";

const CLIENTS = 8;

const [path = "", count = "0", name = ""] = process.argv.slice(2);
const database = new Database({ path, deployment: "production" });
const pets = new SqlitePets(database);
const ids: number[] = [];
const client = async () => {
  for (let i = 0; i < Number(count) / CLIENTS; i++)
    ids.push((await pets.create({ name, categoryId: 1n }, { now: Date.now() })).id);
};
await Promise.all(Array.from({ length: CLIENTS }, client));
database.close();
console.log(JSON.stringify(ids));
