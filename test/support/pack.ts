import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "./temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What `npm pack --json` says of a package: its file's name, and the paths in it. */
export type Packed = { filename: string; files: { path: string }[] };

/**
 * Makes the npm package in a directory with `npm pack`, in a copy of the checkout, by default a new one: other tests read the manifest, which npm
 * pack replaces meanwhile. Returns what npm says of it.
 */
export function pack(destination: string, copy: string = copyOfCheckout()): Packed {
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", destination], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, CI: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(printed.slice(printed.indexOf("[\n")));
  return packed;
}

/** Copies what git knows and what is new, with a link to the installed packages. Returns the directory. */
export function copyOfCheckout(): string {
  const directory = temporaryDirectory();
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8", maxBuffer: 1e8 }).split("\0").filter(Boolean);
  for (const file of files) {
    mkdirSync(join(directory, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(directory, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return directory;
}
