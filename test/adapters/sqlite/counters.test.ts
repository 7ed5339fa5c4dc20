import { expect, test } from "bun:test";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings)
  countersConformance(name, () =>
    open((database) => ({ counters: new SqliteCounters(database), keys: new SqliteKeys(database) })),
  );

test.each([
  ["bytes that are not a page's", "x'00'", "null"],
  ["text that is not JSON", "x''", "'{cut'"],
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
