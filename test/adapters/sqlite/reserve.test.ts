import { expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Reserve } from "../../../src/adapters/sqlite/reserve.ts";
import { smallDisk } from "../../durability/small-disk.ts";
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

const disk = smallDisk();
test.skipIf("reason" in disk || !disk.isFileSystem)(
  "a reserve is an eighth of a small disk, and once it was released, whole again when there is room for two",
  () => {
    if ("reason" in disk) throw new Error(disk.reason);
    using _ = disk;
    const path = join(disk.directory, "petstore.db");
    writeFileSync(path, "");
    const sizeOf = () => statSync(`${path}.reserve`).size;
    const reserve = new Reserve(path);
    reserve.require();
    const { blocks, bavail, bsize } = statfsSync(disk.directory);
    const size = sizeOf();
    expect(size / (blocks * bsize)).toBeWithin(0.09, 0.1251);
    expect([reserve.release(), reserve.release(), sizeOf()]).toEqual([true, false, 0]);
    const filler = join(disk.directory, "filler");
    const free = bavail * bsize + size;
    for (const [left, isWhole] of [
      [0.9, false],
      [1.8, false],
      [2.2, true],
    ] as const) {
      writeFileSync(filler, new Uint8Array(free - left * size));
      // Another process: this one has just tried.
      const require = () => new Reserve(path).require();
      if (isWhole) require();
      else expect(require).toThrow(expect.objectContaining({ code: "service_unavailable" }));
      expect([left, sizeOf()]).toEqual([left, isWhole ? size : 0]);
    }
  },
);
