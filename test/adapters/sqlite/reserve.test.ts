import { expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Reserve } from "../../../src/adapters/sqlite/reserve.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const SOURCE = fileURLToPath(new URL("../../../src/adapters/sqlite/reserve.ts", import.meta.url));

/** A program that makes the reserve of this database. */
const programFor = (database: string) =>
  `import { Reserve } from ${JSON.stringify(SOURCE)}; new Reserve(${JSON.stringify(database)}).require();`;

test("processes that make the reserve at the same time all have it", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "petstore.db");
  writeFileSync(path, "");
  const make = async () => {
    const child = spawn(process.execPath, ["-e", programFor(path)], { stdio: ["ignore", "ignore", "pipe"] });
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    return { code, said };
  };
  for (let round = 0; round < 3; round++) {
    rmSync(`${path}.reserve`, { force: true });
    const made = await Promise.all(Array.from({ length: 6 }, make));
    expect(made).toEqual(Array.from({ length: 6 }, () => ({ code: 0, said: "" })));
    expect(statSync(`${path}.reserve`).size).toBeGreaterThanOrEqual(1024 * 1024);
  }
  rmSync(directory, { recursive: true });
});

test("a process that cannot write the whole reserve leaves what another one has written of it", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "petstore.db");
  writeFileSync(path, "");
  const written = 2 * 1024 * 1024;
  writeFileSync(`${path}.reserve`, Buffer.alloc(written));
  // The process may write files of at most 1 MB, and gets an error beyond.
  const limited = "trap '' XFSZ; ulimit -f 1024; exec \"$@\"";
  const { status, stderr } = spawnSync("bash", ["-c", limited, "bash", process.execPath, "-e", programFor(path)], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("is full") });
  expect(statSync(`${path}.reserve`).size).toBe(written);
  rmSync(directory, { recursive: true });
});

test("a reserve that is deleted, or cannot be made, refuses no write while the disk has room", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "petstore.db");
  writeFileSync(path, "");
  const reserve = new Reserve(path);
  reserve.require();
  expect(statSync(`${path}.reserve`).size).toBeGreaterThanOrEqual(1024 * 1024);
  rmSync(`${path}.reserve`);
  mkdirSync(`${path}.reserve`);
  for (let i = 0; i < 3; i++) reserve.require();
  rmSync(directory, { recursive: true });
});
