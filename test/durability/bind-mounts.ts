import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";
import type { Command } from "./program.ts";

/** A command that sees a file or a directory also under a second path. The mount ends with its process. */
export function withBindMount(from: string, to: string, command: Command): Command {
  const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
  return ["unshare", "--mount", "sh", "-c", script, from, to, ...command];
}

/** Why this machine does not allow mounts; undefined if it does. */
export function obstacleToMounts(): string | undefined {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from"), join(directory, "to")];
  for (const path of [from, to]) mkdirSync(path);
  const [program, ...args] = withBindMount(from, to, ["true"]);
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  rmSync(directory, { recursive: true });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
