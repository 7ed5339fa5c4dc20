import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The faults to plant in source files, by path. Each is a text that occurs once in the file, what replaces it and, where
 * they differ from those of the file, the tests that should notice it: files or folders below the project's directory.
 */
export type Mistakes = Record<string, { tests?: string[]; mistakes: Mistake[] }>;
type Mistake = [text: string, replacement: string, ...tests: string[]];

/** One planted fault. */
export type Mutant = { file: string; text: string; replacement: string; tests: string[] };

/** The mutants of these lists. Without named tests, the tests that mirror the source file should notice them. */
export function mutantsOf(lists: Mistakes[]): Mutant[] {
  return lists
    .flatMap((list) => Object.entries(list))
    .flatMap(([file, { tests = [], mistakes }]) =>
      mistakes.map(([text, replacement, ...own]) => {
        const [first, ...more] = own.length > 0 ? own : tests;
        return { file, text, replacement, tests: first === undefined ? [mirrorOf(file)] : [first, ...more] };
      }),
    );
}

/** The mutant on one line. */
export function nameOf({ file, text, replacement }: Mutant): string {
  const short = (code: string) => code.replace(/\s+/g, " ").trim();
  return `${file}: ${short(text)} → ${short(replacement) || "(nothing)"}`;
}

/** Why the mutant cannot be planted in the checkout at `directory`, or undefined. */
export function problemOf({ file, text, tests }: Mutant, directory: string): string | undefined {
  const path = join(directory, file);
  if (!existsSync(path)) return "there is no such file";
  const found = readFileSync(path, "utf8").split(text).length - 1;
  if (found !== 1) return `the text occurs ${found} times instead of once`;
  const missing = tests.find((test) => !existsSync(join(directory, test)));
  return missing && `there is no ${missing}`;
}

/** The source of the mutant's file in the checkout at `directory`, with the fault. */
export function mutated({ file, text, replacement }: Mutant, directory: string): string {
  return readFileSync(join(directory, file), "utf8").replace(text, () => replacement);
}

/** The test file of a source file, or the nearest folder of tests above it. */
function mirrorOf(file: string): string {
  const mirror = file.replace(/^src/, "test").replace(/^client\/src/, "client/test");
  const test = mirror.replace(/\.ts$/, ".test.ts");
  if (existsSync(test)) return test;
  let folder = dirname(mirror);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
