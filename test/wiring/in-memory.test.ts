import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandFor } from "../support/runtime.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const PROGRAM = fileURLToPath(new URL("two-in-memory.ts", import.meta.url));

test("two services in memory have pets of their own, and leave nothing on disk", () => {
  const [program, ...args] = commandFor(PROGRAM);
  const directory = temporaryDirectory();
  const { stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([["Rex 1"], ["Tom 1"]]);
  expect(readdirSync(directory)).toEqual([]);
});
