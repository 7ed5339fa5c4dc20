import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Kills a process that may have ended, and waits for its end. */
export async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
