import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../program.ts";

/** What a process did to the files of a directory. `file` is a name in it, or empty for the directory itself. */
export type Write =
  | { kind: "write"; file: string; at: number; bytes: Buffer }
  | { kind: "truncate"; file: string; size: number }
  | { kind: "delete"; file: string }
  | { kind: "rename"; file: string; to: string };
/** A sync that a thread begins, and its end: others may be under way, and writes in between are not covered. */
export type Event =
  | Write
  | { kind: "sync"; file: string; thread: string }
  | { kind: "synced"; thread: string }
  | { kind: "acknowledge"; id: number };

const CALLS = ["write", "pwrite64", "ftruncate", "fsync", "fdatasync", "unlink", "rename"];
/** Other calls that change files: none of them is expected. */
const UNEXPECTED = ["pwritev", "pwritev2", "writev", "fallocate", "renameat", "renameat2", "unlinkat"];
/** More bytes than any write has. */
const LONGEST = 1_000_000;
/** The thread, the name of the call, the file as a descriptor or as a name, the bytes, and the numbers behind them. */
const CALL = /^(\d+) +(\w+)\((?:(\d+)<([^>]*)>|"([^"]*)")(?:, "([^"]*)")?((?:, \d+)*)/;

/** The end of a sync beside which other threads made calls. */
const SYNCED = /^(\d+) +<\.\.\. (?:fsync|fdatasync) resumed>/;
const UNFINISHED = "<unfinished ...>";

/** Why processes cannot be traced on this machine, or undefined if they can. */
export function obstacle(): string | undefined {
  const { status } = spawnSync("strace", ["-f", "true"], { stdio: "ignore" });
  return status === 0 ? undefined : "recording writes needs strace, and the right to trace processes";
}

/** Runs a program that writes numbers to standard output as acknowledgements. Returns what it did, in order. */
export function record(directory: string, program: Command, trace: string): Event[] {
  const options = ["-f", "-y", "-xx", "-s", String(LONGEST), "-o", trace, "-e", `trace=${[...CALLS, ...UNEXPECTED]}`];
  // So long that others begin beside it, and beside it take no longer than alone.
  options.push("-e", "inject=fdatasync:delay_enter=30ms");
  const { status, stderr } = spawnSync("strace", [...options, ...program], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the program failed:\n${stderr}`);
  return readFileSync(trace, "latin1")
    .split("\n")
    .flatMap((line) => eventsIn(line, directory));
}

function eventsIn(line: string, directory: string): Event[] {
  const [, synced] = SYNCED.exec(line) ?? [];
  if (synced !== undefined) return [{ kind: "synced", thread: synced }];
  const [, thread = "", call = "", descriptor, opened, named, bytes = "", numbers = ""] = CALL.exec(line) ?? [];
  const data = decoded(bytes);
  if (call === "write" && descriptor === "1") return [{ kind: "acknowledge", id: Number(data.toString()) }];
  const path = decoded(opened ?? named ?? "").toString();
  const file = path.slice(directory.length + 1);
  // The index of the log is shared memory, which each process that finds no other one makes anew.
  if ((path !== directory && !path.startsWith(join(directory, "/"))) || /(-shm|\.reserve)$/.test(file)) return [];
  const [first = 0, second = 0] = numbers.split(", ").slice(1).map(Number);
  switch (call) {
    case "pwrite64":
      return [{ kind: "write", file, at: second, bytes: data }];
    case "ftruncate":
      return [{ kind: "truncate", file, size: first }];
    case "fsync":
    case "fdatasync":
      return line.endsWith(UNFINISHED)
        ? [{ kind: "sync", file, thread }]
        : [
            { kind: "sync", file, thread },
            { kind: "synced", thread },
          ];
    case "rename":
      return [{ kind: "rename", file, to: data.toString().slice(directory.length + 1) }];
    case "unlink":
      return [{ kind: "delete", file }];
    default:
      throw new Error(`the replay does not know this call: ${call} of ${path}`);
  }
}

/** strace writes each byte as `\x2f`, but the names of pipes as they are. */
function decoded(text: string): Buffer {
  return text.startsWith("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text);
}
