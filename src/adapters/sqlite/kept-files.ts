import { constants, copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "../../domain/startup-error.ts";
import { reasonOf } from "./errors.ts";
import { sync } from "./sync.ts";

/** The files that contain a database. SQLite writes the others again. */
const CONTENTS = ["", "-wal", "-journal"];
const FILES = [...CONTENTS, "-shm"];

/**
 * Copies the files of a database byte by byte, under another name and durably: to open a damaged one, or one beside a log
 * that is not its own, would change it. Returns the copies. @throws StartupError, without a copy, when there is no room
 */
export function keepFiles(path: string, kept: string): string[] {
  const endings = CONTENTS.filter((ending) => sizeOf(path + ending) > 0);
  if (FILES.some((ending) => existsSync(kept + ending))) throw new StartupError(`${kept} exists already.`);
  try {
    for (const ending of endings) copyFileSync(path + ending, kept + ending, constants.COPYFILE_EXCL);
    const copies = endings.map((ending) => kept + ending);
    for (const file of copies) sync(file);
    if (copies.length > 0) sync(dirname(kept));
    return copies;
  } catch (error) {
    removeFiles(kept);
    throw new StartupError(`${path} cannot be copied to ${kept}: ${reasonOf(error)}.`);
  }
}

/** Removes the files of a database, as far as they exist. */
export function removeFiles(path: string): void {
  for (const ending of FILES) rmSync(path + ending, { force: true });
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
