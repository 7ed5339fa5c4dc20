// Mirrors pets and categories into SQLite, with @petstore/client:
// PETSTORE_API_KEY=pets_live_… PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 node mirror.ts
import { DatabaseSync } from "node:sqlite";
import { type Category, type Event, type Pet, PetstoreClient, PetstoreError } from "@petstore/client";

const TYPES: Event["type"][] = [
  ...(["pet.created", "pet.updated", "pet.deleted"] as const),
  ...(["category.created", "category.updated", "category.deleted"] as const),
];
const petstore = new PetstoreClient({
  onRetry: ({ error, delay }) => console.log("waiting", Math.ceil(delay / 1_000), "s:", error.code),
});
const database = new DatabaseSync(process.env.MIRROR ?? "mirror.db");
// Others may read the copy meanwhile.
database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS position (id INTEGER);
  CREATE TABLE IF NOT EXISTS copy (subject TEXT PRIMARY KEY, version INTEGER, name TEXT, category_id INTEGER, status TEXT)`);
const put =
  database.prepare(`INSERT INTO copy VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version,
  name = excluded.name, category_id = excluded.category_id, status = excluded.status WHERE excluded.version > version`);

/** Stores the copy together with its position. */
function store(position: number | bigint, work: () => void): void {
  database.exec("BEGIN");
  work();
  database.exec("DELETE FROM position");
  database.prepare("INSERT INTO position VALUES (?)").run(position);
  database.exec("COMMIT");
}

/** Stores a state, unless a newer one is there. What was deleted has no name. */
function apply(subject: string, version: number, state?: Partial<Pet> & Pick<Category, "name">): void {
  put.run(subject, version, state?.name ?? null, state?.categoryId ?? null, state?.status ?? null);
}

async function copyAll(): Promise<void> {
  const { response } = await petstore.listPets({ limit: 1 }).withResponse();
  const [pets, categories] = [await Array.fromAsync(petstore.pets()), await Array.fromAsync(petstore.categories.all())];
  store(BigInt(response.headers.get("Petstore-Position") ?? 0), () => {
    database.exec("DELETE FROM copy");
    for (const pet of pets) apply(`pets/${pet.id}`, 0, pet);
    for (const category of categories) apply(`categories/${category.id}`, 0, category);
  });
  console.log("copied", pets.length, "pets");
}

if (database.prepare("SELECT 1 FROM position").get() === undefined) await copyAll();
for (;;) {
  try {
    const after = BigInt(database.prepare("SELECT CAST(id AS TEXT) AS id FROM position").get()?.id as string);
    for await (const { id, type, subject, version, data } of petstore.events({ after, types: TYPES })) {
      store(id, () => apply(subject, Number(version), type.endsWith(".deleted") ? undefined : (data as Pet)));
      console.log(type, subject, version);
    }
  } catch (error) {
    if (!(error instanceof PetstoreError && error.code === "position_expired")) throw error;
    await copyAll();
  }
}
