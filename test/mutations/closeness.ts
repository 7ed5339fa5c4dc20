import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./mutant.ts";

/** How many lines above and below a fault belong to it. */
const AROUND = 8;
/** How much a word of the file's path says, compared with one beside the fault. */
const OF_PATH = 4;
/** How much closer a test is that imports the file of the fault, and one that imports what imports it. */
const IMPORT = /^(?:import|export) (?!type )[^;"]+ from "(\.[^"]+)"/gm;
const IMPORTING = { directly: 4, indirectly: 2 };

/**
 * How close tests are to a fault: by the words that both use, and by what they import. A word says the more, the fewer tests
 * use it. Nothing here names a file, so that files can move.
 */
export class Closeness {
  readonly #tests: Map<string, Map<string, number>>;
  readonly #usedBy = new Map<string, number>();
  readonly #imports = new Map<string, string[]>();

  constructor(tests: string[]) {
    this.#tests = new Map(tests.map((test) => [test, countsOf(`${test} ${test} ${wordsOf(test)}`)]));
    for (const words of this.#tests.values()) {
      for (const word of words.keys()) this.#usedBy.set(word, (this.#usedBy.get(word) ?? 0) + 1);
    }
  }

  /** These tests, the closest to the fault first. `source`: the text of its file. */
  sort(tests: string[], mutant: Mutant, source: string): string[] {
    const path = mutant.file.replace(/\.\w+$/, " ").repeat(OF_PATH);
    const wanted = countsOf(`${path} ${linesAround(mutant, source)}`);
    const scored = tests.map((test) => ({
      test,
      score: this.#score(test, wanted) * this.#nearness(test, mutant.file),
    }));
    return scored.sort((a, b) => b.score - a.score).map(({ test }) => test);
  }

  #nearness(test: string, file: string): number {
    const direct = this.#importsOf(test);
    if (direct.includes(file)) return IMPORTING.directly;
    return direct.some((one) => this.#importsOf(one).includes(file)) ? IMPORTING.indirectly : 1;
  }

  #importsOf(file: string): string[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const named = existsSync(file) ? [...readFileSync(file, "utf8").matchAll(IMPORT)] : [];
    const imports = named.map(([, path = ""]) => join(dirname(file), path));
    this.#imports.set(file, imports);
    return imports;
  }

  #score(test: string, wanted: Map<string, number>): number {
    const words = this.#tests.get(test) ?? new Map<string, number>();
    const weight = (word: string) => Math.log(this.#tests.size / (this.#usedBy.get(word) ?? this.#tests.size)) ** 2;
    let [product, length] = [0, 0];
    for (const [word, count] of words) {
      const damped = 1 + Math.log(count);
      length += (damped * weight(word)) ** 2;
      product += damped * (1 + Math.log(wanted.get(word) ?? 1 / Math.E)) * weight(word) ** 2;
    }
    return product / Math.sqrt(length || 1);
  }
}

/** The text of a test, and of the file of texts beside it that it compares with. */
function wordsOf(test: string): string {
  const texts = test.replace(/(\.long)?\.test\.ts$/, ".txt");
  return `${readFileSync(test, "utf8")} ${existsSync(texts) ? readFileSync(texts, "utf8") : ""}`;
}

function linesAround({ start, end }: Mutant, source: string): string {
  const before = source.slice(0, start).split("\n").slice(-AROUND);
  const after = source.slice(end).split("\n").slice(0, AROUND);
  return [...before, source.slice(start, end), ...after].join("\n");
}

/** How often each word occurs: `requestIdOf` has three. */
function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[A-Z]?[a-z]{2,}|[A-Z]{3,}|\d{2,}/g)) {
    const key = word.toLowerCase().replace(/s$/, "");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
