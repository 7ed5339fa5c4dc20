import { expect, test } from "bun:test";
import { PAGE_BYTES, SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import type { LimitState } from "../../../src/domain/limits/limits.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings)
  countersConformance(name, () =>
    open((database) => ({ counters: new SqliteCounters(database), keys: new SqliteKeys(database) })),
  );

test("limit states on several pages are kept, also when one of them changes", async () => {
  const window = (count: number) => ({ count, resetAt: 60 * count });
  const stateOf = (i: number): LimitState => ({ minute: window(i), day: window(1_000 + i) });
  const refusedOf = (i: number): LimitState => ({ ...stateOf(i), minute: { ...window(i), refusedAt: 7 } });
  const all = new Map(Array.from({ length: 330 }, (_, i) => [`key_${i}`, i % 3 === 0 ? refusedOf(i) : stateOf(i)]));
  const file = temporaryFile();
  const database = new Database(file);
  const counters = new SqliteCounters(database);
  const first = await counters.load();
  for (const [id, state] of all) first.set(id, state);
  await counters.save(first.drain(), noActivity());
  const states = await counters.load();
  expect(new Map(states)).toEqual(all);
  states.set("key_1", stateOf(500));
  await counters.save(states.drain(), noActivity());
  expect(new Map(await counters.load())).toEqual(all.set("key_1", stateOf(500)));
  expect(await counters.limitStateOf("key_3")).toEqual(refusedOf(3));
  database.close();
  file.remove();
});

test.each([
  ["bytes that are not a page's", "x'00'", "null"],
  ["text that is not JSON", `zeroblob(${PAGE_BYTES})`, "'{cut'"],
])("%s in the limit states are reported as damage of the file", async (_what, numbers, others) => {
  const file = temporaryFile();
  const database = new Database(file);
  database.prepare(`INSERT INTO limit_windows VALUES (0, ${numbers}, ${others})`).run();
  database.prepare("INSERT INTO limit_keys VALUES (0, 'key_1')").run();
  const counters = new SqliteCounters(database);
  const error = /petstore\.db cannot be used: limit_windows 0 cannot be decoded: .+\. It is damaged\. Restore a backup/;
  await expect(counters.load()).rejects.toThrow(error);
  await expect(counters.limitStateOf("key_1")).rejects.toThrow(error);
  database.close();
  file.remove();
});
