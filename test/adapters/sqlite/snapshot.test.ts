import { expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { temporaryFile } from "./temporary.ts";

test("the snapshot that requests read ends with the turn: it does not keep the log from being written back", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const other = new DatabaseSync(file.path);
  const isWrittenBack = () => other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  database.refresh();
  other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
  expect(isWrittenBack()).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isWrittenBack()).toBe(true);
  other.close();
  database.close();
  file.remove();
});
