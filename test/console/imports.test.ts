import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../../console/src", import.meta.url));

/** The law of imports for `console/src`, whose TSX the parser of dependency-cruiser does not read. */
type Graph = Map<string, string[]>;

/** What each file imports of the others, for types too. `files` are texts by path. */
function importsOf(files: Record<string, string>): Graph {
  return new Map(
    Object.entries(files).map(([path, text]) => {
      const specifiers = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()"(\.[^"]+)"/g)].map(
        ([, found = ""]) => found,
      );
      return [path, specifiers.map((specifier) => normalize(join(dirname(path), specifier)))];
    }),
  );
}

/** The same ratesBetween folders; files at the top count as a folder each. */
function importsOfFolders(files: Graph): Graph {
  const folderOf = (path: string) => (dirname(path) === "." ? path : dirname(path));
  const folders: Graph = new Map();
  for (const [path, targets] of files) {
    const folder = folderOf(path);
    const others = targets.map(folderOf).filter((target) => target !== folder);
    folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
  }
  return folders;
}

/** The nodes that reach themselves. */
function circles(graph: Graph): string[] {
  const reachedFrom = (node: string) => {
    const reached = new Set(graph.get(node));
    // A set's iteration includes what is added meanwhile.
    for (const next of reached) for (const target of graph.get(next) ?? []) reached.add(target);
    return reached;
  };
  return [...graph.keys()].filter((node) => reachedFrom(node).has(node)).sort();
}

const paths = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(SOURCES, path), "utf8")]));

test("no files of the console import each other in a circle, nor do folders", () => {
  const imports = importsOf(files);
  expect(circles(imports)).toEqual([]);
  expect(circles(importsOfFolders(imports))).toEqual([]);
});

test("every import is seen that Bun sees, and those of types", () => {
  const imports = importsOf(files);
  const transpiler = new Bun.Transpiler({ loader: "tsx" });
  for (const [path, text] of Object.entries(files)) {
    const local = transpiler.scanImports(text).filter((found) => found.path.startsWith("."));
    expect(imports.get(path)).toEqual(
      expect.arrayContaining(local.map((found) => normalize(join(dirname(path), found.path)))),
    );
  }
  expect(imports.get("components/form.tsx")).toContain("api/hooks.ts");
});

describe("the law can be broken:", () => {
  test("by a circle of types", () => {
    const broken = importsOf({
      "keys/key-actions.tsx": 'import {\n  RevokeKey,\n} from "./revoke-key.tsx";',
      "keys/revoke-key.tsx": 'import type { Props } from "./key-actions.tsx";',
      "main.tsx": 'import "./keys/key-actions.tsx";',
    });
    expect(circles(broken)).toEqual(["keys/key-actions.tsx", "keys/revoke-key.tsx"]);
  });

  test("by a circle of folders", () => {
    const broken = importsOf({
      "keys/key-page.tsx": 'import { Summary } from "../overview/summary.tsx";',
      "overview/summary.tsx": "",
      "overview/banned-keys.tsx": 'const keys = await import("../keys/key-table.tsx");',
      "keys/key-table.tsx": "",
    });
    expect(circles(broken)).toEqual([]);
    expect(circles(importsOfFolders(broken))).toEqual(["keys", "overview"]);
  });
});
