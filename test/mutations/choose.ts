import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { filesOf } from "./checkout.ts";
import { lineOf, type Mutant, nameOf, type Sources } from "./mutant.ts";
import { mutantsOfCode } from "./operators.ts";
import { mutantsOfSettings, mutantsOfTables } from "./texts.ts";
import { mutantsOfWords } from "./words.ts";

/** What has mutants, and which. */
const MAKERS: [files: RegExp, make: (file: string, source: string) => Mutant[]][] = [
  [/^(src|client\/src|console\/src)\/.*\.tsx?$/, mutantsOfCode],
  [/^deploy\/(?!.*\.test\.).*(\.(ya?ml|tpl|cfg|service|socket|env|rules)|Caddyfile|Containerfile)$/, mutantsOfSettings],
  // Nobody compares what was measured.
  [/^(README|docs\/(?!development|performance).*)\.md$/, mutantsOfTables],
];

/** All mutants, and the texts of their files. @throws when a fault in words does not occur once */
export function allMutants(): { mutants: Mutant[]; sources: Sources } {
  const sources: Sources = new Map();
  const made = filesOf(".").flatMap((file) => {
    const make = MAKERS.find(([files]) => files.test(file))?.[1];
    if (make === undefined) return [];
    const source = readFileSync(file, "utf8");
    sources.set(file, source);
    return make(file, source);
  });
  return { mutants: [...made, ...mutantsOfWords(sources, made)], sources };
}

/** One mutant for each line that has some, in an order and a choice that are the same for the same seed. */
export function shuffled(mutants: Mutant[], sources: Sources, seed: string): Mutant[] {
  const byLine = new Map<string, { mutant: Mutant; place: string }>();
  const hash = (text: string) => createHash("sha256").update(`${seed} ${text}`).digest("hex");
  for (const mutant of mutants) {
    const source = sources.get(mutant.file) ?? "";
    const line = `${mutant.file}:${lineOf(mutant.start, source)}`;
    const place = hash(nameOf(mutant, source));
    const before = byLine.get(line);
    if (before === undefined || place < before.place) byLine.set(line, { mutant, place });
  }
  const places = [...byLine].map(([line, { mutant }]) => ({ mutant, place: hash(line) }));
  return places.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ mutant }) => mutant);
}

/** Whether a mutant is on a line that was changed or added since this commit. */
export function changedSince(revision: string, sources: Sources): (mutant: Mutant) => boolean {
  const changed = new Map<string, Set<number>>();
  const args = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--relative", revision];
  let lines = new Set<number>();
  for (const line of execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 28 }).split("\n")) {
    const file = /^\+\+\+ b\/(.*)/.exec(line)?.[1];
    if (file !== undefined) {
      lines = new Set();
      changed.set(file, lines);
    }
    const [, first, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first !== undefined) for (let at = 0; at < Number(count); at++) lines.add(Number(first) + at);
  }
  const known = new Set(execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 2 ** 24 }).split("\n"));
  return ({ file, start }) =>
    !known.has(file) || (changed.get(file)?.has(lineOf(start, sources.get(file) ?? "")) ?? false);
}
