import { expect, test } from "bun:test";
import fc from "fast-check";
import { LruMap } from "../../src/domain/lru-map.ts";
import { holds } from "../support/holds.ts";

const MAX = 8;

test("entries in use stay, however many others come and go", () => {
  const map = new LruMap<number>(MAX);
  map.set("used", 1);
  for (let i = 0; i < 100; i++) {
    map.set(`other ${i}`, i);
    expect(map.get("used")).toBe(1);
  }
  const kept = Array.from({ length: 100 }, (_, i) => map.get(`other ${i}`)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThan(MAX);
});

test("a deleted value uncovers no earlier one", () => {
  const map = new LruMap<string>(MAX);
  map.set("a", "earlier");
  for (const other of ["b", "c", "d"]) map.set(other, "other");
  map.set("a", "later");
  map.deleteWhere((value) => value === "later");
  expect(map.get("a")).toBeUndefined();
});

test("for any use, a value is the last one that was set, or gone, and those used last are there", () => {
  const key = fc.constantFrom(..."abcdefghijklmnop");
  const step = fc.oneof(
    // Mostly, so that both generations have entries when others are deleted.
    { weight: 8, arbitrary: fc.record({ does: fc.constant("set" as const), key, value: fc.nat() }) },
    { weight: 8, arbitrary: fc.record({ does: fc.constantFrom("get" as const, "delete" as const), key }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("deleteWhere" as const), value: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("clear" as const) }) },
  );
  holds(
    fc.property(fc.array(step, { maxLength: 100, size: "max" }), (steps) => {
      const map = new LruMap<number>(MAX);
      const model = new Map<string, number>();
      /** All keys in the order of their last use, also those deleted since. */
      const used = new Set<string>();
      for (const each of steps) {
        if (each.does === "set") {
          map.set(each.key, each.value);
          model.set(each.key, each.value);
          used.delete(each.key);
          used.add(each.key);
        } else if (each.does === "delete") {
          map.delete(each.key);
          model.delete(each.key);
        } else if (each.does === "deleteWhere") {
          map.deleteWhere((value) => value % 2 === each.value % 2);
          for (const [known, value] of model) if (value % 2 === each.value % 2) model.delete(known);
        } else if (each.does === "clear") {
          map.clear();
          model.clear();
        } else {
          const value = map.get(each.key);
          if (value === undefined) continue;
          expect(value).toBe(model.get(each.key) ?? Number.NaN);
          used.delete(each.key);
          used.add(each.key);
        }
      }
      const usedLast = [...used].slice(-MAX / 2).filter((known) => model.has(known));
      for (const known of usedLast.reverse()) expect(map.get(known)).toBe(model.get(known) ?? Number.NaN);
      const found = [...model.keys()].filter((known) => map.get(known) !== undefined);
      expect(found.length).toBeLessThanOrEqual(MAX);
    }),
  );
});
