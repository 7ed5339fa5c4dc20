import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { temporaryDirectory } from "../support/temporary.ts";
import { type Command, type Program, SERVE } from "./program.ts";

/** A directory in which a service soon runs out of space, until there is more. */
export interface SmallDisk extends Disposable {
  readonly directory: string;
  /** Whether there is no room for any file, or none in a file that is large already. */
  readonly isFileSystem: boolean;
  /** The command prefix to start the service there. */
  readonly command: Command;
  makeRoom(program: Program): void;
}

const SMALL = 4 * 1024 * 1024;
const LARGE = 256 * 1024 * 1024;

/** The most realistic one that this machine allows, or why there is none. */
export function smallDisk(): SmallDisk | { reason: string } {
  const directory = temporaryDirectory();
  if (succeeds("mount", "-t", "tmpfs", "-o", `size=${SMALL}`, "tmpfs", directory)) return fileSystem(directory);
  if (succeeds("prlimit", "--version")) return fileSizeLimit(directory);
  rmSync(directory, { recursive: true });
  return { reason: "filling a disk needs the right to mount a small one, or prlimit (util-linux)" };
}

/** A small file system (tmpfs), which is really full: ENOSPC. Needs the right to mount. */
function fileSystem(directory: string): SmallDisk {
  return {
    directory,
    isFileSystem: true,
    command: SERVE,
    makeRoom: () => run("mount", "-o", `remount,size=${LARGE}`, directory),
    [Symbol.dispose]: () => {
      // Lazily: a process that has just ended may still be giving up its files.
      run("umount", "--lazy", directory);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A limit on the file size of the process: writes fail with EFBIG, as on a full disk. */
function fileSizeLimit(directory: string): SmallDisk {
  const limited = `trap '' XFSZ; exec prlimit --fsize=${SMALL}:unlimited "$0" "$@"`;
  return {
    directory,
    isFileSystem: false,
    command: ["sh", "-c", limited, ...SERVE],
    makeRoom: ({ process }) => run("prlimit", `--pid=${process.pid}`, "--fsize=unlimited"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? stderr}`);
}
