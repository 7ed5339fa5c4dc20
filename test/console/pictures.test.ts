import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LARGEST = 150_000;
const pictures = readdirSync(join(ROOT, "docs/images")).map((name) => `docs/images/${name}`);

/** The pictures that a document shows, by their paths in the project. */
function shownIn(path: string): string[] {
  const found = readFileSync(join(ROOT, path), "utf8").matchAll(/!\[[^\]]+\]\(([^)]+\.png)\)/g);
  return [...found].map(([, target = ""]) => normalize(join(dirname(path), target)));
}

test("every picture is shown by the operations guide, and every one that is shown is there", () => {
  expect([...new Set(shownIn("docs/operations.md"))].sort()).toEqual(pictures.sort());
  const inReadme = shownIn("README.md");
  expect(inReadme.length).toBeGreaterThan(0);
  expect(inReadme.filter((path) => !pictures.includes(path))).toEqual([]);
});

test("no picture is heavy", () => {
  expect(pictures.filter((path) => statSync(join(ROOT, path)).size > LARGEST)).toEqual([]);
});
