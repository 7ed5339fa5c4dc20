import { expect, test } from "bun:test";
import { CountTable } from "../../../src/domain/usage/counting.ts";

test("the counts of each key stay its own while the table grows", () => {
  const table = new CountTable();
  const ids = Array.from({ length: 100 }, (_, i) => `key_${i}`);
  for (const [i, id] of ids.entries()) {
    table.increment(id, 0);
    table.add(id, [i, 0, 0, 0, 1]);
  }
  expect(ids.map((id) => table.get(id))).toEqual(ids.map((_, i) => [i + 1, 0, 0, 0, 1]));
  expect(table.sumOf(["key_1", "key_99", "key_unknown"])).toEqual([102, 0, 0, 0, 2]);
  expect([...table.keyIds]).toEqual(ids);
  expect(table.get("key_unknown")).toBeUndefined();
});
