import { expect, test } from "bun:test";
import { typeOf } from "../../console/src/api/call.ts";

test.each([
  ["pets.csv", "text/csv"],
  ["PETS.CSV", "text/csv"],
  ["pets.tsv", "text/csv"],
  ["pets.txt", "text/csv"],
  ["petstore.db", "application/vnd.sqlite3"],
  ["pets.csv.ndjson", "application/x-ndjson"],
  ["pets", "application/x-ndjson"],
])("a file named %s is sent as %s", (name, type) => {
  expect(typeOf(new File([], name))).toBe(type);
});
