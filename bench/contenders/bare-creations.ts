import { DatabaseSync } from "node:sqlite";
import { nameKey } from "../../src/domain/pets.ts";
import { answerHeaders } from "./answer-headers.ts";
import { options } from "./arguments.ts";

type NewPet = { name: string; categoryId: number; status: "available" | "pending" | "sold" };
type Waiting = { pet: NewPet; resolve: (id: number) => void };

/** What durable creations cost by themselves: the service's statements, a commit for each turn, and nothing else. */
const database = new DatabaseSync(options.file);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192");
const insert = database.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)");
const count = (status: NewPet["status"]) =>
  database.prepare(`UPDATE inventory SET ${status} = ${status} + 1 WHERE shard = 0`);
const counts = { available: count("available"), pending: count("pending"), sold: count("sold") };
let waiting: Waiting[] = [];

function commit(): void {
  const batch = waiting;
  waiting = [];
  database.exec("BEGIN IMMEDIATE");
  const ids = batch.map(({ pet: { name, categoryId, status } }) => {
    const { lastInsertRowid } = insert.run(name, categoryId, status, nameKey(name));
    counts[status].run();
    return Number(lastInsertRowid);
  });
  database.exec("COMMIT");
  for (const [i, { resolve }] of batch.entries()) resolve(ids[i] ?? 0);
}

function create(pet: NewPet): Promise<number> {
  return new Promise((resolve) => {
    if (waiting.push({ pet, resolve }) === 1) setImmediate(commit);
  });
}

Bun.serve({
  hostname: options.host,
  port: options.port,
  development: false,
  async fetch(request) {
    if (request.headers.get("Authorization") === null) return new Response(null, { status: 401 });
    const { name, categoryId, status } = (await request.json()) as NewPet;
    const id = await create({ name, categoryId, status });
    return new Response(JSON.stringify({ id, name, categoryId, status }), { status: 201, headers: answerHeaders });
  },
});
