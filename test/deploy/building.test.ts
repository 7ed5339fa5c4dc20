import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFiles } from "../../console/build.ts";
import { temporaryDirectory } from "../support/temporary.ts";

let directory: string;
let built: string;
beforeEach(() => {
  directory = temporaryDirectory();
  built = join(directory, "dist");
  mkdirSync(join(built, "executables"), { recursive: true });
  mkdirSync(join(built, "assets"));
  for (const name of ["index.html", "assets/old.js", "executables/petstore"]) writeFileSync(join(built, name), "old");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const build = async (empty: string) => {
  expect(readdirSync(empty)).toEqual([]);
  mkdirSync(join(empty, "assets"));
  for (const name of ["index.html", "assets/new.js"]) writeFileSync(join(empty, name), "new");
};
const replace = (how = build) =>
  replaceFiles(
    built,
    how,
    (name) => name.startsWith("index"),
    (name) => name.startsWith("executables"),
  );
const read = (name: string) => readFileSync(join(built, name), "utf8");

test("a build replaces what an earlier one left, and keeps what is none of its own", async () => {
  expect((await replace()).sort()).toEqual(["assets/new.js", "index.html"]);
  expect([read("index.html"), read("assets/new.js"), read("executables/petstore")]).toEqual(["new", "new", "old"]);
  expect(existsSync(join(built, "assets/old.js"))).toBe(false);
  expect(readdirSync(directory)).toEqual(["dist"]);
});

test("a build that fails changes nothing", async () => {
  await expect(replace(() => Promise.reject(new Error("it fails")))).rejects.toThrow("it fails");
  expect([read("index.html"), read("assets/old.js")]).toEqual(["old", "old"]);
  expect(readdirSync(directory)).toEqual(["dist"]);
});

test("a page comes after the files that it refers to, and these go after it", async () => {
  // A file cannot take the place of a directory.
  mkdirSync(join(built, "assets/new.js/x"), { recursive: true });
  await expect(replace()).rejects.toThrow();
  expect([read("index.html"), read("assets/old.js")]).toEqual(["old", "old"]);
});
