import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { isBusy, reasonOf } from "./errors.ts";

/**
 * Lets one process at a time serve the database at `path`: limits are counted in the process. The lock is SQLite's own, on
 * an empty file beside the database, so that commands can use the database meanwhile. The system releases it when the
 * process ends, however it ends. @throws StartupError when another process serves the database
 */
export function lockForServing(path: string): Disposable {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // One file for all links to a database.
    return hold(`${existsSync(path) ? realpathSync(path) : path}.lock`);
  } catch (error) {
    if (!isBusy(error)) throw new StartupError(`${path} cannot be opened: ${reasonOf(error)}.`);
    throw new StartupError(
      `Another process serves ${path}: limits would be counted twice. Stop that one, or set DATABASE_URL to another file. Several processes need PostgreSQL and Redis.`,
    );
  }
}

function hold(file: string): Disposable {
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
