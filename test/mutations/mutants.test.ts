import { expect, test } from "bun:test";
import { allMutants } from "./choose.ts";
import { mutated } from "./mutant.ts";
import { mutantsOfCode } from "./operators.ts";
import { mutantsOfSettings, mutantsOfTables } from "./texts.ts";

/** What the faults make of this text. */
function mistakesIn(source: string, make: typeof mutantsOfCode = mutantsOfCode): string[] {
  return make("a.tsx", source).map((mutant) => mutated(mutant, source));
}

test.each([
  ["if (a) b();", ["if (true) b();", "if (false) b();", "if (a) void 0;"]],
  ["x = a < b;", ["void 0;", "x = a <= b;", "x = a >= b;"]],
  ["é(`é`); x = a - b;", ["void 0; x = a - b;", "é(`é`); void 0;", "é(`é`); x = a + b;"]],
  ["const x = a && b;", ["const x = a || b;", "const x = b;", "const x = a;"]],
  ["const x = a ?? b;", ["const x = b;"]],
  ["const x = !a;", ["const x = a;"]],
  ["await a();", ["void 0;", "a();"]],
  ["const x = f(a, b.c);", ["const x = f(b.c, a);"]],
  ["const x = Math.min(a);", ["const x = Math.max(a);"]],
  ["const x = [a, ...b];", ["const x = [...b];", "const x = [a];"]],
  ["const x = { a, b: c };", ["const x = { b: c };", "const x = { a };"]],
  ["const x = a[b] ?? 1;", ["const x = 1;"]],
  ["f(1);", ["void 0;", "f(2);"]],
  ["f(60_000);", ["void 0;", "f(600000);"]],
  ["f(true);", ["void 0;", "f(false);"]],
  ['f("on", "off");', ["void 0;", 'f("off", "on");', 'f("off", "off");', 'f("on", "on");']],
  ["const x = `SELECT a FROM b FOR UPDATE`;", ["const x = `SELECT a FROM b`;"]],
])("%s has these faults", (code, mistaken) => {
  expect(mistakesIn(code)).toEqual(mistaken);
});

test.each([
  'import a from "b";',
  "type A = { b: 1 | true };",
  'const x = a as "b";',
  'log.info("It has started.");',
  'throw new Error("There is no such pet.");',
  "const x = { examples: [{ a: 1 }] }.examples;",
  "super(a);",
  "const WRITE_INTERVAL = 500;",
  "const [x = 1] = a;",
  'const x = <A b="c" d={1} />;',
])("%s has no faults", (code) => {
  expect(mistakesIn(code)).toEqual([]);
});

test("settings lose a line, or get another value", () => {
  const source = "# A comment of 2 words.\nretries: 3\nenabled: true\n";
  expect(mistakesIn(source, mutantsOfSettings)).toEqual([
    source.replace("retries: 3", ""),
    source.replace("3", "4"),
    source.replace("enabled: true", ""),
    source.replace("true", "false"),
  ]);
});

test("tables of documents get another number, or a word of another row", () => {
  const source = "Not 1.\n\n| Code | Status |\n|---|---|\n| `a` | 404 |\n| `b` | 1,000 |\n";
  expect(mistakesIn(source, mutantsOfTables)).toEqual([
    source.replace("`a`", "`b`"),
    source.replace("404", "405"),
    source.replace("1,000", "1001"),
  ]);
});

test("each fault in words occurs once, and each fault changes its file", () => {
  const { mutants, sources } = allMutants();
  const unchanged = mutants.filter(({ file, start, end, replacement }) => {
    return sources.get(file)?.slice(start, end) === replacement;
  });
  expect(unchanged).toEqual([]);
});
