import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { text } from "node:stream/consumers";
import { PROGRAM } from "./program.ts";

/**
 * Runs a command of this program in a process of its own, with less priority than the service: what takes seconds and cannot
 * be interrupted, such as SQLite's check of a large file. Kills it when the signal is aborted. Resolves with the JSON that it
 * prints. @throws Error with the reason that it prints, or when it does not end by itself
 */
export async function runInChildProcess(args: string[], signal: AbortSignal, command = PROGRAM): Promise<unknown> {
  const [program = "", ...options] = command;
  const child = spawn(program, [...options, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  yieldTo(child.pid);
  const [output, errors, [code, killedBy]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (output !== "") return JSON.parse(output);
  const reason = errors.trim().replace(/^petstore: /, "");
  throw new Error(reason === "" ? `The process ended with ${killedBy ?? code}.` : reason);
}

/** It may have ended already. */
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has the priority of the service then.
  }
}
