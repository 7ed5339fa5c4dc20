import { IN_MEMORY } from "../../adapters/sqlite/errors.ts";
import type { Clock } from "../../domain/time.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { Backups } from "./backups.ts";
import type { RunCommand } from "./runs.ts";

/** Undefined on PostgreSQL, for a database in memory, and in a program that runs no commands. */
export function openBackups(
  { backups, database, deployment }: Config,
  run: RunCommand | undefined,
  clock: Clock,
  log: Log,
): Backups | undefined {
  const isFile = database.engine === "sqlite" && database.path !== IN_MEMORY;
  if (backups === undefined || run === undefined || !isFile) return undefined;
  return new Backups(backups, { deployment, run, clock, log });
}
