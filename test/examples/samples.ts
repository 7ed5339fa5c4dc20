import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** The command line of a sample in TypeScript, copied to a directory that has the checkout's client as a package. */
export function typeScriptSample(file: string, directory: string): string[] {
  const scope = join(directory, "node_modules/@petstore/client");
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(ROOT, "client/src/main.ts"), join(scope, "index.ts"));
  const copy = join(directory, basename(file));
  copyFileSync(file, copy);
  return [process.execPath, "--no-env-file", copy];
}

/** The command line of a sample in Go, compiled into a directory. */
export function goSample(file: string, directory: string): string[] {
  const program = join(directory, basename(file, ".go"));
  execFileSync("go", ["build", "-o", program, file]);
  return [program];
}
