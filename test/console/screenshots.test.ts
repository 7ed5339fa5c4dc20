import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAX_BYTES = 150_000;
const images = readdirSync(join(ROOT, "docs/images")).map((name) => `docs/images/${name}`);

/** The images that a document shows, as paths in the project. */
function shownIn(path: string): string[] {
  const found = readFileSync(join(ROOT, path), "utf8").matchAll(/!\[[^\]]+\]\(([^)]+\.png)\)/g);
  return [...found].map(([, target = ""]) => normalize(join(dirname(path), target)));
}

test("the documentation shows every image, and every image shown exists", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  expect([...new Set(pages.flatMap((name) => shownIn(`docs/${name}`)))].sort()).toEqual(images.sort());
  const inReadme = shownIn("README.md");
  expect(inReadme.length).toBeGreaterThan(0);
  expect(inReadme.filter((path) => !images.includes(path))).toEqual([]);
});

test("no image is larger than 150 kB", () => {
  expect(images.filter((path) => statSync(join(ROOT, path)).size > MAX_BYTES)).toEqual([]);
});

test("what stands in place of an image says which page, screen and theme it shows", () => {
  const shown = readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => [
      ...readFileSync(join(ROOT, "docs", name), "utf8").matchAll(
        /!\[([^\]]+)\]\(images\/console-([a-z-]+)-(desktop|phone)-(light|dark)\.png\)/g,
      ),
    ]);
  expect(shown).toHaveLength(images.length);
  const pages = Map.groupBy(shown, ([, , page = ""]) => page);
  for (const [page, views] of pages) {
    const [, [subject = ""] = []] = [page, /^.*(?=, \w+, \w+$)/.exec(views[0]?.[1] ?? "") ?? []];
    expect([page, views.map(([, text]) => text)]).toEqual([
      page,
      views.map(([, , , screen, theme]) => `${subject}, ${screen}, ${theme}`),
    ]);
    // A dialog is named for what it does.
    const word = page === "month" ? "30 days" : (page.split("-").at(-1) ?? "");
    expect([subject, subject.toLowerCase().replace("revoking", "revoke").includes(word)]).toEqual([subject, true]);
  }
});
