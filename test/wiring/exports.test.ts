import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CallersPage } from "../../src/domain/keys/store.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { exportAudit, exportCallers, pagesOf } from "../../src/wiring/exports.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { newStore } from "../support/store.ts";

const NOW = 1_800_000_000_000;

test("pages of a list have each item after the start once, in its order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 350 }),
      fc.option(fc.integer({ min: 0, max: 350 })),
      async (count, start) => {
        const items = Array.from({ length: count }, (_, at) => ({ id: at + 1 }));
        const list = ({ limit, after = 0n }: { limit: number; after: bigint | undefined }) =>
          items.filter(({ id }) => id > after).slice(0, limit);
        const pages = await Array.fromAsync(pagesOf(list, start === null ? undefined : BigInt(start)));
        expect(pages.flat()).toEqual(items.slice(start ?? 0));
        expect(pages.every((page) => page.length > 0)).toBe(true);
      },
    ),
    {
      numRuns: 50,
      examples: [
        [100, null],
        [200, 100],
        [0, null],
      ],
    },
  );
});

test("pages that are cut short are followed to the end", async () => {
  const items = [3, 250, 251, 900].map((id) => ({ id }));
  /** Looks at 100 ids. */
  const list = ({ limit, after = 0n }: { limit: number; after: bigint | undefined }) => {
    const readTo = Number(after) + 100;
    const found = items.filter(({ id }) => id > after && id <= readTo).slice(0, limit);
    return readTo < 1_000 ? Object.assign(found, { readTo }) : found;
  };
  for (const limit of [1, 2, 100])
    expect((await Array.fromAsync(pagesOf(list, undefined, limit))).flat()).toEqual(items);
});

test.each([0, 24, 25, 26, 60])(
  "an export of the audit log has each of %d entries once, newest first",
  async (count) => {
    const store = await newStore("sqlite");
    const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
    try {
      for (let at = 0; at < count; at++) {
        await stores.categories.create({ name: `Category ${at}` }, { by: TESTER, now: NOW + at });
      }
      const text = (await Array.fromAsync(exportAudit(stores.audit, {}, "ndjson"))).join("");
      const names = text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).after.name);
      expect(names).toEqual(Array.from({ length: count }, (_, at) => `Category ${count - 1 - at}`));
    } finally {
      await stores.close();
      await store.remove();
    }
  },
);

test.each([1, 499, 500, 501, 1_000])("an export of %d callers has each once", async (count) => {
  const callers = Array.from({ length: count }, (_, at) => ({
    operation: "getPet",
    keyId: `key_${String(at).padStart(4, "0")}`,
    keyName: "=1+1",
    calls: at,
    lastCalledAt: NOW,
  }));
  const list = async ({ limit, after }: CallersPage) =>
    callers.filter(({ keyId }) => after === undefined || keyId > after.keyId).slice(0, limit);
  const text = (await Array.fromAsync(exportCallers({ callers: list }, undefined))).join("");
  const lines = text.trimEnd().split(/\r?\n/);
  expect(lines[0]).toBe("operation,keyId,keyName,calls,lastCalledAt,userAgent,ownerName,ownerEmail");
  expect(lines.slice(1).map((line) => line.split(",")[1])).toEqual(callers.map(({ keyId }) => keyId));
});
