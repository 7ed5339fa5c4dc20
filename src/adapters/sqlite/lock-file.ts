import { existsSync, realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./errors.ts";

/** The empty file that a service locks: one for all links to a database. */
export function lockOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.lock`;
}

/** Locks an empty file, and makes it if it is missing. @throws an error of SQLite, `isBusy` while another connection has the lock */
export function hold(file: string): Disposable {
  const connection = new DatabaseSync(file);
  try {
    // With its journal in memory nothing is written, so that a service starts on a full disk.
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    throw error;
  }
  return { [Symbol.dispose]: () => connection.close() };
}

/** Whether a service holds the lock of this database. */
export function isServed(path: string): boolean {
  const lock = lockOf(path);
  if (!existsSync(lock)) return false;
  try {
    hold(lock)[Symbol.dispose]();
    return false;
  } catch (error) {
    return isBusy(error);
  }
}
