import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { reasonOf } from "./errors.ts";
import { requireIndex } from "./index-file.ts";
import { APPLICATION_ID, identityOf, requirePetstoreFile, type StoreFile } from "./migrate.ts";
import { openError } from "./open-error.ts";

/** The contents of a database file. `version` is the schema's. */
export type Contents = { version: number; pets: number; orders: number; keys: number };

/**
 * Opens a file read-only.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or is damaged
 */
export function openIntact(file: StoreFile): DatabaseSync {
  const database = openToRead(file);
  const [problem] = integrityProblems(database, 1);
  if (problem === undefined) return database;
  database.close();
  throw new StartupError(`${file.path} is damaged: ${problem}.`);
}

/**
 * The same for a file that may be damaged. It does not change the file's log either.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or cannot be read at all
 */
export function openToRead(file: StoreFile): DatabaseSync {
  const { path } = file;
  requireFile(path);
  requireIndex(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    if (identityOf(database).applicationId !== APPLICATION_ID) {
      throw new StartupError(`${path} is a database, but not a petstore's.`);
    }
    requirePetstoreFile(database, file);
    return database;
  } catch (error) {
    database?.close();
    throw openError(path, error);
  }
}

export function contentsOf(database: DatabaseSync): Contents {
  // An older schema has no orders.
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const count = (table: "pets" | "orders" | "keys") =>
    exists.get(table) ? Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count) : 0;
  return { version: identityOf(database).version, pets: count("pets"), orders: count("orders"), keys: count("keys") };
}

/** SQLite would create a missing file. @throws StartupError when the file does not exist */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new StartupError(`There is no file ${path}.`);
  if (!statSync(path).isFile()) throw new StartupError(`${path} is not a file.`);
}

/** What SQLite finds wrong with a file, at most `max` problems. Takes about half a second for a million pets. */
export function integrityProblems(database: DatabaseSync, max: number): string[] {
  try {
    const found = database.prepare(`PRAGMA integrity_check(${max})`).all();
    return found.map((row) => String(row.integrity_check)).filter((problem) => problem !== "ok");
  } catch (error) {
    return [reasonOf(error)];
  }
}
