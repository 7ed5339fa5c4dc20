import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../../bin/runtime.js";
import { states } from "../support/markdown.ts";
import { copyOfCheckout, pack } from "../support/pack.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/** Two checkouts of one commit, at paths of different length and depth, one with a blank, each with packages of its own. */
let checkouts: string[];
const directory = temporaryDirectory();
beforeAll(() => {
  checkouts = ["a", "another place/of/b"].map((name) => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    renameSync(copyOfCheckout(), path);
    rmSync(join(path, "node_modules"));
    // Links where the file system can.
    const copied = ["-al", "-a"].some(
      (how) => spawnSync("cp", [how, MODULES, join(path, "node_modules")], { stdio: "ignore" }).status === 0,
    );
    expect(copied).toBe(true);
    return path;
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The files below a directory that contain a text. */
function filesWith(text: string, below: string): string[] {
  const names = readdirSync(below, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(below, name)).isFile() && readFileSync(join(below, name)).includes(text));
}

test("two checkouts make the same npm package, byte for byte, which does not name their paths", () => {
  states(
    "CHANGELOG.md",
    "Two builds of one commit make the same npm package and the same executables, byte for byte, which do not name the paths of the machine that built them.",
  );
  const [first, second] = checkouts.map((checkout) => {
    const place = join(checkout, "packed");
    mkdirSync(place);
    const path = join(place, pack(place, checkout).filename);
    spawnSync("tar", ["-xzf", path, "-C", place]);
    expect(filesWith(directory, join(place, "package"))).toEqual([]);
    return readFileSync(path);
  });
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
});

test("two checkouts make the same executable, byte for byte, which does not name their paths", () => {
  const [bun = "", ...options] = runtimeCommand("bun");
  const [first, second] = checkouts.map((checkout, at) => {
    const { status } = spawnSync(bun, [...options, "deploy/executables.ts", PLATFORM], {
      cwd: checkout,
      stdio: "ignore",
      env: { ...process.env, npm_config_offline: "true", TZ: at === 0 ? "UTC" : "Asia/Tokyo" },
    });
    expect(status).toBe(0);
    const built = join(checkout, "dist/executables");
    expect(filesWith(directory, built)).toEqual([]);
    return readFileSync(join(built, "SHA256SUMS"), "utf8") + readFileSync(join(built, "LICENSES.txt"), "utf8");
  });
  expect(first).toBe(String(second));
});
