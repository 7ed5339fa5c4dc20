import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { commandFor } from "../../support/runtime.ts";
import { temporaryFile } from "./temporary.ts";

const PROGRAM = fileURLToPath(new URL("write-pets.ts", import.meta.url));
const PROCESSES = 3;
const PETS = 400;

test("processes that create a file together and write at once add every pet, each with a unique id", async () => {
  const file = temporaryFile();
  const [program, ...args] = commandFor(PROGRAM);
  const runs = Array.from({ length: PROCESSES }, (_, i) =>
    promisify(execFile)(program, [...args, file.path, String(PETS), `process ${i}`]),
  );
  try {
    const written: number[][] = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout));
    const ids = written.flat().sort((a, b) => a - b);
    expect(ids).toHaveLength(PROCESSES * PETS);
    expect(new Set(ids).size).toBe(ids.length);

    const database = new Database(file);
    const found = new SqlitePets(database).page({ limit: 10_000, after: 0n });
    database.close();
    expect(found.map(({ id }) => id)).toEqual(ids);
    for (const [i, own] of written.entries()) {
      expect(found.filter(({ name }) => name === `process ${i}`)).toHaveLength(own.length);
    }
  } finally {
    file.remove();
  }
});
