import { constants, copyFileSync, existsSync, rmSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "../../domain/startup-error.ts";
import { reasonOf } from "./errors.ts";
import { fileSize } from "./file-size.ts";
import { sync } from "./sync.ts";

/** The files that contain a database, and those that SQLite puts beside it. */
const CONTENTS = ["", "-wal", "-journal"];
const BESIDE = ["-wal", "-journal", "-shm"];

/**
 * Copies the files of a database byte by byte, under another name and durably: to open a damaged one, or one beside a log
 * that is not its own, would change it. Returns the copies. @throws StartupError, without a copy, when there is no room
 */
export function copyFiles(path: string, kept: string): string[] {
  const endings = CONTENTS.filter((ending) => fileSize(path + ending) > 0);
  if (CONTENTS.some((ending) => existsSync(kept + ending))) throw new StartupError(`${kept} exists already.`);
  try {
    for (const ending of endings) copyFileSync(path + ending, kept + ending, constants.COPYFILE_EXCL);
    const copies = endings.map((ending) => kept + ending);
    for (const file of copies) sync(file);
    if (copies.length > 0) sync(dirname(kept));
    return copies;
  } catch (error) {
    removeCopies(kept);
    throw new StartupError(`${path} cannot be copied to ${kept}: ${reasonOf(error)}.`);
  }
}

/** Removes copies. */
export function removeCopies(kept: string): void {
  for (const ending of CONTENTS) rmSync(kept + ending, { force: true });
}

/** Empties a database. Its file keeps its owner and permissions: the command may run as another user than the service. */
export function emptyDatabase(path: string): void {
  truncateSync(path);
  for (const ending of BESIDE) rmSync(path + ending, { force: true });
}
