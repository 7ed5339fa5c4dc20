import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import { PROGRAM } from "./program.ts";

/**
 * Runs `petstore database check` in a process of its own: SQLite's check of a large file takes seconds and cannot be
 * interrupted. Kills it when the signal is aborted. @throws when the check does not end by itself
 */
export async function checkDatabaseBeside(signal: AbortSignal): Promise<DatabaseCheck> {
  const [program = "", ...options] = PROGRAM;
  const child = spawn(program, [...options, "database", "check", "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (output === "") throw new Error(errors.trim());
  const { problems, lost } = JSON.parse(output);
  return { problems, lost: lost ?? undefined };
}
