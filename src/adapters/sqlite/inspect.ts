import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { reasonOf } from "./errors.ts";
import { APPLICATION_ID, identityOf, requirePetstoreFile } from "./migrate.ts";

/** The most problems to report for a damaged file. */
const MAX_PROBLEMS = 1;

/** The contents of a database file. `version` is the schema's. */
export type Contents = { version: number; pets: number; keys: number };

/** Opens a file read-only. @throws StartupError when it is not a Petstore database, or is damaged */
export function openToRead(path: string): DatabaseSync {
  requireFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    requireIntact(database, path);
    if (identityOf(database).applicationId !== APPLICATION_ID) {
      throw new StartupError(`${path} is a database, but not a petstore's.`);
    }
    requirePetstoreFile(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StartupError ? error : new StartupError(`${path} cannot be used: ${reasonOf(error)}.`);
  }
}

export function contentsOf(database: DatabaseSync): Contents {
  const count = (table: "pets" | "keys") =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
  return { version: identityOf(database).version, pets: count("pets"), keys: count("keys") };
}

/** SQLite would create a missing file. @throws StartupError when the file does not exist */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new StartupError(`There is no file ${path}.`);
  if (!statSync(path).isFile()) throw new StartupError(`${path} is not a file.`);
}

function requireIntact(database: DatabaseSync, path: string): void {
  const found = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).get()?.integrity_check;
  if (found !== "ok") throw new StartupError(`${path} is damaged: ${found}.`);
}
