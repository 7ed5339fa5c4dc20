import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFiles } from "../../console/build.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.\w+$/.test(name))
    .sort();

/** Writes each of the files with its name as its text. */
function write(directory: string, ...names: string[]): void {
  mkdirSync(join(directory, "assets"), { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), name);
}

test("the files of a build replace those of the one before, and leave nothing else", async () => {
  const parent = temporaryDirectory();
  const dist = join(parent, "dist");
  write(dist, "index.html", "assets/old.js", "kept.txt");
  writeFileSync(join(dist, "index.html"), "old");
  const build = async (empty: string) => {
    expect(readdirSync(empty)).toEqual([]);
    // A service that starts meanwhile finds those of before.
    write(empty, "index.html", "assets/new.js");
    expect(filesIn(dist)).toEqual(["assets/old.js", "index.html", "kept.txt"]);
  };
  const isLast = (name: string) => name === "index.html";
  expect(await replaceFiles(dist, build, isLast, (name) => name === "kept.txt")).toEqual([
    "assets/new.js",
    "index.html",
  ]);
  expect(filesIn(dist)).toEqual(["assets/new.js", "index.html", "kept.txt"]);
  expect(readFileSync(join(dist, "index.html"), "utf8")).toBe("index.html");
  expect(readdirSync(parent)).toEqual(["dist"]);
  // Without a reason to keep them, others go.
  await replaceFiles(dist, async (empty) => write(empty, "index.html"), isLast);
  expect(filesIn(dist)).toEqual(["index.html"]);
});

test("what refers to the other files comes when they are there", async () => {
  const dist = join(temporaryDirectory(), "dist");
  mkdirSync(dist);
  const names = ["a.js", "m.html", "z.js"];
  const came: string[] = [];
  const seen = Promise.withResolvers<void>();
  const watcher = watch(dist, (_, name) => {
    if (name !== null && !came.includes(name)) came.push(name);
    if (came.length === names.length) seen.resolve();
  });
  await replaceFiles(
    dist,
    async (empty) => write(empty, ...names),
    (name) => name === "m.html",
  );
  await seen.promise;
  watcher.close();
  expect(came).toEqual(["a.js", "z.js", "m.html"]);
});

test("a build that fails leaves what was there", async () => {
  const parent = temporaryDirectory();
  const dist = join(parent, "dist");
  write(dist, "index.html");
  const build = async (empty: string) => {
    write(empty, "half.js");
    throw new Error("no such import");
  };
  await expect(replaceFiles(dist, build, () => false)).rejects.toThrow("no such import");
  expect(filesIn(dist)).toEqual(["index.html"]);
  expect(readdirSync(parent)).toEqual(["dist"]);
});
