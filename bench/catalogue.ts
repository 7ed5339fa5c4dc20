import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { Database } from "../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../src/adapters/sqlite/keys.ts";
import { SqlitePets } from "../src/adapters/sqlite/pets.ts";
import { KeyAdministration, type NewKey } from "../src/domain/keys/administration.ts";
import { defaultScopes } from "../src/domain/keys/key.ts";
import type { KeyStore } from "../src/domain/keys/store.ts";
import type { Limits } from "../src/domain/limits/limits.ts";
import type { Pet } from "../src/domain/pets.ts";

/** A database with the pets 1 to `size`, and the secret of an Enterprise key with ample limits; those of others with less, if asked for. */
export type Catalogue = { path: string; size: number; secret: string; others: string[] };

/** The limits of further keys, and the pet with an id, if it is not the usual one. */
export type CatalogueOptions = { others?: Limits[]; petOf?: typeof pet };
/** For orders: each pet can be ordered. */
export const allAvailable: CatalogueOptions = { petOf: (id) => ({ ...pet(id), status: "available" }) };

/** The number of pets on a page, and the number of ids that it spans: one pet in three is available. */
export const PAGE_SIZE = 20;
export const PAGE_SPAN = 60;

const ROWS_PER_COMMIT = 20_000;
const KEYS_PER_COMMIT = 5_000;
const LIMITS: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
const names = ["Rex", "Whiskers", "Bubbles", "Clementine", "Old Ben"];
const statuses = ["sold", "available", "pending"] as const;

/** Writes a new catalogue through the service's own store: about 600,000 pets per second. */
export async function createCatalogue(path: string, size: number, options: CatalogueOptions = {}): Promise<Catalogue> {
  const { others: limits = [], petOf = pet } = options;
  const database = new Database({ path, deployment: "production" });
  const pets = new SqlitePets(database);
  for (let made = 0; made < size; made += ROWS_PER_COMMIT) {
    const last = Math.min(made + ROWS_PER_COMMIT, size);
    await database.write(() => {
      for (let id = made + 1; id <= last; id++) pets.insert(petOf(id), { now: Date.now() });
    });
  }
  const keys = new SqliteKeys(database);
  const secret = await createKey(keys);
  const others = await Promise.all(limits.map((each) => createKey(keys, each)));
  database.close();
  return { path, size, secret, others };
}

/** Adds a key to a catalogue, by default with ample limits. Returns its secret. */
export async function createKey(keys: KeyStore, limits = LIMITS): Promise<string> {
  const request: NewKey = { name: "benchmark", plan: "enterprise", limits, scopes: [...defaultScopes] };
  const { secret } = await new KeyAdministration(keys, "production", { operator: { name: "benchmark" } }).create(
    request,
    Date.now(),
  );
  return secret;
}

/** Adds keys to a catalogue. Returns their secrets. */
export async function addKeys({ path }: Catalogue, count: number): Promise<string[]> {
  const database = new Database({ path, deployment: "production" });
  const keys = new SqliteKeys(database);
  const secrets: string[] = [];
  // Those of a batch share a commit.
  while (secrets.length < count) {
    const batch = Math.min(KEYS_PER_COMMIT, count - secrets.length);
    secrets.push(...(await Promise.all(Array.from({ length: batch }, () => createKey(keys)))));
  }
  database.close();
  return secrets;
}

/** The pet with this id, the same in every catalogue, so that the names of large catalogues are not longer. */
export function pet(id: number): Omit<Pet, "id"> {
  const [name = "", status = "sold"] = [names[id % names.length], statuses[id % statuses.length]];
  return { name, categoryId: BigInt(id % 50), status };
}

/** The expected JSON text of one pet, computed without the service. */
export function petText(id: number): string {
  const { name, categoryId, status } = pet(id);
  return JSON.stringify({ id, name, categoryId: Number(categoryId), status });
}

/** The expected JSON text of the first page of available pets, computed without the service. */
export function firstPageText(): string {
  const ids = Array.from({ length: PAGE_SPAN }, (_, i) => i + 1).filter((id) => pet(id).status === "available");
  return `[${ids.map(petText).join(",")}]`;
}

const chunk = Buffer.alloc(1 << 20);

/**
 * Reads a database and its log, so that a load on it does not wait for the disk: the system may have taken the file out of memory,
 * while another server was under load.
 */
export function readIntoMemory(path: string): void {
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) readThrough(file);
}

function readThrough(path: string): void {
  const file = openSync(path, "r");
  while (readSync(file, chunk) > 0);
  closeSync(file);
}
