import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";

/** Gives files and directories a second path, until disposal. */
export type BindMounts = { bind(from: string, to: string): Disposable };

/** Returns the reason if this machine does not allow mounts. */
export function bindMounts(): BindMounts | { reason: string } {
  const directory = temporaryDirectory();
  try {
    mkdirSync(join(directory, "a"));
    mkdirSync(join(directory, "b"));
    const problem = run("mount", "--bind", join(directory, "a"), join(directory, "b"));
    if (problem !== undefined) return { reason: `mount --bind needs the right to mount: ${problem}` };
    run("umount", join(directory, "b"));
    return { bind };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function bind(from: string, to: string): Disposable {
  const problem = run("mount", "--bind", from, to);
  if (problem !== undefined) throw new Error(problem);
  return { [Symbol.dispose]: () => void run("umount", to) };
}

/** Returns why it failed. */
function run(program: string, ...args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
