import { afterEach, beforeEach, expect, test } from "bun:test";
import { IN_MEMORY } from "../../src/adapters/sqlite/errors.ts";
import { IMPORT_PAUSE } from "../../src/domain/audit.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { importCategories, importPets } from "../../src/wiring/imports.ts";
import { openStores, type Stores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";

const NOW = 1_800_000_000_000;
/** How many lines, or changes, an import makes until what it has done is kept. */
const KEPT = 500;

let stores: Stores;
let kept: number;
beforeEach(async () => {
  const database = { engine: "sqlite" as const, path: IN_MEMORY };
  stores = await openStores({ ...readConfig({}), database }, () => {});
  kept = 0;
});
afterEach(() => stores.close());

/** Where imports go to, with a count of what is kept outside of the transactions of pets. */
function target() {
  const { audit } = stores;
  const keepImport: typeof audit.keepImport = (entry) => {
    kept += 1;
    return audit.keepImport(entry);
  };
  return { ...stores, audit: { ...audit, keepImport }, author: TESTER, clock: () => NOW, checksCategories: false };
}

/** Abandons what was imported so far, as if the process were killed here. */
const abandon = () => stores.audit.endAbandonedImports(NOW + IMPORT_PAUSE + 1);
/** What the entries of imports say, in their order. */
const entries = async () => (await stores.audit.list({ limit: 9 })).map(({ after }) => after).reverse();
const lines = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${text(i)}\n`).join("");
async function* chunkOf(text: string) {
  yield Buffer.from(text);
}
const pet = () => '{"name":"Rex","categoryId":1}';

test("an import that is killed before its first line has an entry", async () => {
  states("docs/data.md", "also of an import that was killed.");
  const chunks = (async function* () {
    await abandon();
    yield Buffer.from(lines(3, pet));
  })();
  const batches = importPets(target(), chunks, { format: "ndjson", file: "pets.ndjson" });
  await Array.fromAsync(batches);
  const file = { file: "pets.ndjson", format: "ndjson" };
  expect(await entries()).toMatchObject([
    { ...file, imported: 0n, line: 0n, isWhole: false, endedAt: new Date(NOW).toISOString() },
    { ...file, imported: 3n, line: 3n, isWhole: true },
  ]);
});

test("a killed import of categories has an entry that is behind by less than 500 lines, and is not kept with each", async () => {
  const category = (i: number) => `{"name":"Category ${i}"}`;
  const batches = importCategories(target(), chunkOf(lines(1_300, category)), { format: "ndjson" });
  for await (const { line } of batches) if (line === 1_299) await abandon();
  const [killed, ended] = await entries();
  expect(killed).toMatchObject({ imported: 1_000n, line: 1_000n, isWhole: false });
  expect(ended).toMatchObject({ imported: 1_300n, line: 1_300n, isWhole: true });
  expect(kept).toBe(1 + Math.floor(1_300 / KEPT));
});

test("what an import of pets has done is kept with the pets alone, with the rejected lines in their order", async () => {
  const some = lines(1_200, (i) => (i % 400 === 7 ? "{}" : i % 400 === 9 ? '{"name":"Rex","categoryId":2}' : pet()));
  await stores.categories.put({ id: 1n, name: "Dogs" }, { now: NOW });
  const checking = { ...target(), checksCategories: true };
  const batches = await Array.fromAsync(importPets(checking, chunkOf(some), { format: "ndjson" }));
  expect(batches.flatMap(({ rejected }) => rejected.map(({ line }) => line))).toEqual([8, 10, 408, 410, 808, 810]);
  expect(kept).toBe(1);
  expect(await entries()).toMatchObject([{ imported: 1_194n, rejected: 6n, line: 1_200n, isWhole: true }]);
});

test("the events of imported pets name its request and its time", async () => {
  const its = { ...target(), author: { ...TESTER, requestId: "mine" } };
  await Array.fromAsync(importPets(its, chunkOf(lines(2, pet)), { format: "ndjson" }));
  const events = await stores.events.list({ after: 0n, limit: 9 });
  expect(events.map(({ text }) => JSON.parse(text))).toMatchObject(
    Array(2).fill({ type: "pet.created", requestId: "mine", at: new Date(NOW).toISOString() }),
  );
});

test("the entry of an import that goes on has the line from which it does, and what was asked for", async () => {
  const its = { format: "ndjson" as const, fromLine: 3 };
  await Array.fromAsync(importPets(target(), chunkOf(lines(5, pet)), its));
  await Array.fromAsync(importPets(target(), chunkOf(lines(2, pet)), { ...its, fromLine: 1, replace: true }));
  expect(await entries()).toEqual([
    { format: "ndjson", fromLine: 3n, imported: 3n, changed: 0n, unchanged: 0n, rejected: 0n, line: 5n, isWhole: true },
    expect.objectContaining({ replace: true, replaceStatus: false, imported: 2n, line: 2n }),
  ]);
});

test("what an import says of its lines is the sum over its batches, of each kind of outcome", async () => {
  const { pets, orders } = stores;
  const add = (name: string) => pets.create({ name, categoryId: 1n }, { now: NOW });
  const [sold, same, changed] = [await add("Sold"), await add("Same"), await add("Changed")];
  const { created: order } = await orders.place(BigInt(sold.id), NOW);
  for (const status of ["approved", "delivered"] as const) await orders.update(BigInt(order.id), status, NOW);
  const line = (id: number, name: string) => JSON.stringify({ id, name, categoryId: 1, status: "available" });
  const batch = (i: number) => [
    "{}",
    ...["One", "Other"].map((name) => line(changed.id, `${name} ${i}`)),
    ...Array(3).fill(line(same.id, "Same")),
    ...Array(4).fill(line(sold.id, "Sold")),
    ...Array(490).fill(pet()),
  ];
  const text = [0, 1, 2].flatMap(batch).join("\n");
  const batches = await Array.fromAsync(importPets(target(), chunkOf(text), { format: "ndjson", replace: true }));
  const ofBatch = { added: 490, changed: 2, unchanged: 7, statusKept: 4 };
  expect(batches).toMatchObject([0, 1, 2].map((i) => ({ ...ofBatch, rejected: [{ line: 500 * i + 1 }] })));
  expect(batches.map(({ counts }) => counts)).toEqual(
    [1, 2, 3].map((n) => ({ imported: 490 * n, changed: 2 * n, unchanged: 7 * n, statusKept: 4 * n, rejected: n })),
  );
  expect(await entries()).toMatchObject([
    { imported: 1_470n, changed: 6n, unchanged: 21n, statusKept: 12n, rejected: 3n, line: 1_500n, isWhole: true },
  ]);
});
