import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TSC = join(ROOT, "node_modules/.bin/tsc");
const SPECIFIER = /(?<=from ")(\.[^"]+)\.ts(?=")/g;

/** Writes the declarations of a module and of those that they import to a directory, for ES modules and for CommonJS. */
export function declare(entry: string, directory: string): void {
  const place = mkdtempSync(join(tmpdir(), "petstore-types-"));
  try {
    const all = join(place, "all");
    emit(entry, place, all);
    const source = dirname(entry);
    for (const path of reachable(join(all, relative(ROOT, source), basename(entry, ".ts")))) {
      const text = readFileSync(`${path}.d.ts`, "utf8");
      const target = join(directory, relative(join(all, relative(ROOT, source)), path));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(`${target}.d.ts`, text.replaceAll(SPECIFIER, "$1.js"));
      writeFileSync(`${target}.d.cts`, text.replaceAll(SPECIFIER, "$1.cjs"));
    }
  } finally {
    rmSync(place, { recursive: true });
  }
}

/**
 * Writes the declarations of the whole program. Some modules have types that cannot be declared: of those that are reachable
 * test/deploy/samples.long.test.ts shows that they are complete.
 */
function emit(entry: string, place: string, outDir: string): void {
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: ROOT,
    outDir,
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const project = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [], files: [entry] };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify(project));
  spawnSync(TSC, ["--project", place]);
}

/** The declarations that one of them needs, itself included; all without `.d.ts`. */
function reachable(first: string): Set<string> {
  const found = new Set([first]);
  for (const path of found) {
    const text = readFileSync(`${path}.d.ts`, "utf8");
    for (const [, specifier = ""] of text.matchAll(SPECIFIER)) found.add(join(dirname(path), specifier));
  }
  return found;
}
