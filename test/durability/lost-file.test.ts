import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { Workplace } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { sqliteIn } from "../support/store.ts";
import { Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** Time for the commands that a test starts, on a busy machine, in ms. */
const TIMEOUT = 60_000;

let directory: StoreDirectory;
let workplace: Workplace;
let program: Program;
let headers: Record<string, string>;
beforeEach(async () => {
  directory = new StoreDirectory();
  workplace = new Workplace({ store: sqliteIn(directory.path) });
  headers = { Authorization: `Bearer ${await createKey(directory.path)}`, "Content-Type": "application/json" };
  program = await Program.start({ directory: directory.path });
}, TIMEOUT);
afterEach(async () => {
  await program.kill();
  directory[Symbol.dispose]();
});

const path = (ending = "") => workplace.path(`petstore.db${ending}`);
const create = async () => {
  const body = JSON.stringify({ name: "Rex", categoryId: 1 });
  return (await fetch(`${program.url}/v1/pets`, { method: "POST", headers, body })).status;
};
const statusOf = async (target: string) => (await fetch(program.url + target, { headers })).status;

describe("under a running service", () => {
  const losses: Record<string, () => void> = {
    deleted: () => rmSync(path()),
    "replaced by a copy": () => {
      copyFileSync(path(), path(".copy"));
      renameSync(path(".copy"), path());
    },
    "deprived of its log": () => rmSync(path("-wal")),
  };

  test.each(Object.entries(losses))("a file that is %s acknowledges no creation any more", async (_, lose) => {
    expect(await create()).toBe(201);
    lose();
    const statuses = new Set(await Promise.all(Array.from({ length: 500 }, create)));
    expect([...statuses]).toEqual([503]);
    expect(await statusOf("/readyz")).toBe(503);
    await eventually(async () => (await statusOf("/v1/pets")) === 503);
    expect(program.printed.stdout).toContain("was deleted or replaced while it is open");
  });

  test("a file that comes back is used again", async () => {
    renameSync(path(), path(".away"));
    expect(await create()).toBe(503);
    renameSync(path(".away"), path());
    expect(await create()).toBe(201);
    expect(await statusOf("/readyz")).toBe(200);
  });
});
