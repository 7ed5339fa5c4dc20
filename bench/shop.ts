import { Database } from "../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../src/adapters/sqlite/keys.ts";
import { OrderStatus } from "../src/domain/orders.ts";
import { nameKey, type Pet, PetStatus } from "../src/domain/pets.ts";
import { type Catalogue, createKey } from "./catalogue.ts";

/** A shop: pets with evenly spread categories, names and statuses, and an order for each of the first half of them. */
export const SHOP = { pets: 1_000_000, categories: 10_000, names: 1_000, orders: 500_000 } as const;

/** Three pets in four are available. The order of a pet, if it has one, is delivered, placed or cancelled accordingly. */
const statuses = [
  "sold",
  "available",
  "available",
  "available",
  "pending",
  "available",
  "available",
  "available",
] as const;

/** The seeds: each multiple of one, modulo the prime, is as good as random, in SQL as well as here. */
const PRIME = 1_000_003;
const SEEDS = { category: 7_919, name: 611_953, status: 104_729 } as const;

/** The pet with this id. */
export function shopPet(id: number): Omit<Pet, "id"> {
  const random = (seed: keyof typeof SEEDS) => (id * SEEDS[seed]) % PRIME;
  return {
    name: `Pet ${random("name") % SHOP.names}`,
    categoryId: BigInt((random("category") % SHOP.categories) + 1),
    status: statuses[random("status") % statuses.length] ?? "available",
  };
}

const random = (seed: keyof typeof SEEDS) => `CAST(id AS BIGINT) * ${SEEDS[seed]} % ${PRIME}`;
const ids = (count: number) =>
  `WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < ${count})`;
const named = (name: string) => `'${name}', '${nameKey(name)}'`;
const count = (status: string, table: string) =>
  `${status} = (SELECT count(*) FROM petstore.${table} WHERE status = '${status}')`;
const counts = [
  ...PetStatus.options.map((status) => count(status, "pets")),
  ...OrderStatus.options.map((status) => count(status, "orders")),
];

/** The statements that fill an empty schema, in the SQL that both engines share. */
export function shopStatements(): string[] {
  const names = Array.from({ length: SHOP.names }, (_, i) => `(${i}, ${named(`Pet ${i}`)})`);
  const cases = statuses.map((status, i) => `WHEN ${i} THEN '${status}'`).join(" ");
  const categories = Array.from({ length: SHOP.categories }, (_, i) => `(${i + 1}, ${named(`Category ${i + 1}`)}, 1)`);
  return [
    `INSERT INTO petstore.categories (id, name, name_key, version) VALUES ${categories.join(", ")}`,
    "CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT, name_key TEXT)",
    `INSERT INTO names VALUES ${names.join(", ")}`,
    `${ids(SHOP.pets)} INSERT INTO petstore.pets (id, name, category_id, status, name_key)
       SELECT id, name, ${random("category")} % ${SHOP.categories} + 1, CASE ${random("status")} % ${statuses.length} ${cases} END, name_key
       FROM numbers JOIN names ON number = ${random("name")} % ${SHOP.names}`,
    "DROP TABLE names",
    ...orderStatements(SHOP.orders),
  ];
}

/** The statements that add an order of each of the first pets, which fits the pet's status. */
function orderStatements(orders: number): string[] {
  return [
    `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at)
       SELECT id, CASE status WHEN 'sold' THEN 'delivered' WHEN 'pending' THEN 'placed' ELSE 'cancelled' END, id, id
       FROM petstore.pets WHERE id <= ${orders} ORDER BY id`,
    `UPDATE petstore.inventory SET ${counts.join(", ")} WHERE shard = 0`,
  ];
}

/** Adds so many orders to a catalogue, one of each of its first pets. */
export async function addOrders(path: string, orders: number): Promise<void> {
  const database = new Database({ path, deployment: "production" });
  await database.write(() => {
    for (const text of orderStatements(orders)) database.run({ text, values: {} });
  });
  database.close();
}

/** The beginning of the JSON text of such an order, which has the id of its pet. */
export function orderText(id: number): string {
  return `\\{"id":${id},"petId":${id},"status":`;
}

/** Writes a new shop in a few seconds: the indexes are built when the rows are there. */
export async function createShop(path: string): Promise<Catalogue> {
  const database = new Database({ path, deployment: "production" });
  const indexes = database.all(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('pets', 'orders')",
  );
  await database.write(() => {
    const run = (text: string) => database.run({ text, values: {} });
    for (const { name } of indexes) run(`DROP INDEX ${name}`);
    for (const statement of shopStatements()) run(statement);
    for (const { sql } of indexes) run(String(sql));
  });
  const secret = await createKey(new SqliteKeys(database));
  database.close();
  return { path, size: SHOP.pets, secret, others: [] };
}
