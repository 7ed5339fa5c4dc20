import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders, selectOrders } from "../../../src/adapters/sql/orders.ts";
import { currentVersion, seekByValues } from "../../../src/adapters/sql/sql.ts";
import { backupDatabase, checkBackup } from "../../../src/adapters/sqlite/backup.ts";
import { checkDatabase } from "../../../src/adapters/sqlite/check.ts";
import { PAGE_BYTES } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { APPLICATION_ID, identityOf, sqlite } from "../../../src/adapters/sqlite/migrate.ts";
import { migrations } from "../../../src/adapters/sqlite/migrations.ts";
import { isOlder } from "../../../src/adapters/sqlite/open.ts";
import { type FilteredColumn, pageTexts, SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { restoreDatabase } from "../../../src/adapters/sqlite/restore.ts";
import type { KeyFilter } from "../../../src/domain/keys/store.ts";
import type { OrdersPage } from "../../../src/domain/orders.ts";
import { states } from "../../support/markdown.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

let file: TemporaryFile;
let database: Database;
beforeAll(() => {
  file = temporaryFile();
  database = new Database(file);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("every table is strict", () => {
  const tables = database
    .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .all();
  const own = tables.filter(({ name }) => !String(name).startsWith("sqlite_"));
  expect(own.length).toBeGreaterThan(0);
  for (const table of own) expect(table).toMatchObject({ strict: 1 });
});

test("no table lists the values of a column", () => {
  const tables = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all();
  expect(tables.map(({ sql }) => String(sql)).filter((sql) => /CHECK \(\w+ IN\b/.test(sql))).toEqual([]);
});

test("foreign keys hold", () => {
  expect(database.prepare("PRAGMA foreign_key_list(secrets)").all()).toMatchObject([{ table: "keys", from: "key_id" }]);
  expect(database.prepare("PRAGMA foreign_key_list(sessions)").all()).toMatchObject([{ table: "operators" }]);
  using other = new DatabaseSync(file.path);
  other.exec(`
    INSERT INTO keys (id, name, plan, per_minute, per_day, scopes, created_at) VALUES ('key_1', '', 'free', 1, 1, '', 1);
    INSERT INTO secrets VALUES ('h', 'key_1', 'abcd', 1, NULL);
    INSERT INTO operators VALUES ('op_1', 'Ada', 'admin', 't', 1, NULL, NULL, NULL);
    INSERT INTO sessions VALUES ('s', 'op_1', 1, 2)`);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(() => database.prepare("DELETE FROM keys").run()).toThrow("FOREIGN KEY");
  expect(() => database.prepare("DELETE FROM operators").run()).toThrow("FOREIGN KEY");
  other.exec("DELETE FROM secrets; DELETE FROM keys; DELETE FROM sessions; DELETE FROM operators");
});

test("the number of keys is that of the table, however some are added or removed", () => {
  const total = () => {
    const row = database.prepare("SELECT keys, (SELECT count(*) FROM keys) AS counted FROM key_total").get();
    return [row?.keys, row?.counted];
  };
  expect(total()).toEqual([0, 0]);
  using other = new DatabaseSync(file.path);
  const add = `INSERT OR IGNORE INTO keys (id, name, plan, per_minute, per_day, scopes, created_at)
    SELECT 'key_many' || value, 'many', 'free', 60, 1000, 'pets:read', value FROM json_each('[1, 2, 3, 4, 5]')`;
  other.exec(`${add}; ${add}; DELETE FROM keys WHERE id IN ('key_many1', 'key_many2')`);
  expect(total()).toEqual([3, 3]);
  other.exec("DELETE FROM keys");
  expect(total()).toEqual([0, 0]);
});

test("the next pet's id is above every earlier one, also above that of a deleted pet", async () => {
  using other = new DatabaseSync(file.path);
  other.exec("INSERT INTO pets (id, name, category_id, status) VALUES (41, 'gone', 1, 'sold'); DELETE FROM pets");
  expect(await new SqlitePets(database).create({ name: "new", categoryId: 1n }, { now: Date.now() })).toMatchObject({
    id: 42,
  });
});

test("a commit reaches the disk before it is acknowledged: write-ahead log, synchronous=FULL", () => {
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
});

test("a new file has the application id and the version of the schema", () => {
  expect(identityOf(database)).toEqual({ applicationId: APPLICATION_ID, version: currentVersion(migrations) });
});

test("opening it again changes nothing", () => {
  const again = new Database(file);
  expect(identityOf(again)).toEqual({ applicationId: APPLICATION_ID, version: currentVersion(migrations) });
  again.close();
});

test("foreign keys are enforced, also in a file that is opened again", () => {
  const again = new Database(file);
  for (const opened of [database, again]) {
    expect(opened.prepare("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
  }
  again.close();
});

describe("a page of pets is read by an index, in order:", () => {
  test.each<[FilteredColumn[], string]>([
    [[], "INTEGER PRIMARY KEY (rowid>?)"],
    [["status"], "PRIMARY KEY (pet_status=? AND block>?)"],
    [["category_id"], "pets_by_category (category_id=? AND status=? AND id>?)"],
    [["category_id", "status"], "pets_by_category (category_id=? AND status=? AND id>?)"],
    [["name_key", "status"], "pets_by_name (name_key=? AND id>?)"],
  ])("%p", (columns, index) => {
    for (const isDescending of [false, true]) {
      const plans = pageTexts(columns, isDescending).map((text) => database.prepare(`EXPLAIN QUERY PLAN ${text}`));
      const steps = plans.flatMap((plan) => plan.all().map(({ detail }) => String(detail)));
      expect(steps.filter((step) => step.startsWith("SCAN") || step.includes("TEMP B-TREE"))).toEqual([]);
      expect(steps.join("\n").replaceAll("<?", ">?")).toContain(index);
    }
  });
});

describe("a page of orders is read by an index, in order:", () => {
  const page = { limit: 20, after: 5n };
  test.each<[string, OrdersPage, string]>([
    ["all", page, "INTEGER PRIMARY KEY (rowid>?)"],
    ["of a status", { ...page, status: "placed" }, "orders_by_status (status=? AND id>?)"],
    ["of a pet", { ...page, petId: 7n }, "orders_by_pet (pet_id=? AND status=? AND id>?)"],
    [
      "of a pet and a status",
      { ...page, petId: 7n, status: "placed" },
      "orders_by_pet (pet_id=? AND status=? AND id>?)",
    ],
    ["with a reference", { ...page, reference: "R" }, "orders_by_reference (reference=? AND id>?)"],
    [
      "with a reference, of a pet and a status, newest first",
      { ...page, reference: "R", petId: 7n, status: "placed", order: "desc" },
      "orders_by_reference (reference=? AND id<?)",
    ],
    ["of a pet, newest first", { ...page, petId: 7n, order: "desc" }, "orders_by_pet (pet_id=? AND status=? AND id<?)"],
  ])("%s", (_, wanted, index) => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sqlite(selectOrders("*", wanted, seekByValues).text)}`);
    // Only the page of each status is sorted.
    const details = plan.all().map(({ detail }) => String(detail));
    const steps = details.join("\n").replaceAll("SCAN page\nUSE TEMP B-TREE FOR ORDER BY", "").split("\n");
    expect(steps.filter((step) => step.startsWith("SCAN") || step.includes("TEMP B-TREE"))).toEqual([]);
    const searches = steps.filter((step) => step.startsWith("SEARCH"));
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches) expect(search).toContain(index);
  });
});

test("the order that holds a pet is found by an index", () => {
  const where = "pet_id = 7 AND status IN ('placed', 'approved')";
  const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT id FROM orders WHERE ${where}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual([
    "SEARCH orders USING COVERING INDEX orders_by_pet (pet_id=? AND status=?)",
  ]);
});

/** The steps of the plans of all statements that `work` reads with, but for the sort of a page that was found. */
async function stepsOf(work: () => Promise<unknown>): Promise<string[]> {
  const reads = [spyOn(database, "all"), spyOn(database, "first")];
  try {
    await work();
    return reads
      .flatMap(({ mock }) =>
        mock.calls.flatMap(([text, values = {}]) => {
          const plan = database.prepare(`EXPLAIN QUERY PLAN ${sqlite(text)}`).all(values);
          const isList = plan.some(({ detail }) => String(detail).startsWith("LIST SUBQUERY"));
          return plan.filter(({ parent, detail }) => !(isList && parent === 0 && /TEMP B-TREE/.test(String(detail))));
        }),
      )
      .map(({ detail }) => String(detail));
  } finally {
    for (const read of reads) read.mockRestore();
  }
}

describe("a page of keys is read by an index, in order:", () => {
  const email = { email: "ada@example.org" };
  const name = { name: "Ada" };
  const ORDERS = ["newest", "oldest", "owner"] as const;
  test.each<[KeyFilter, index: string, byOwner: string]>([
    [{}, "keys_by_age", "keys_by_owner"],
    [{ plan: ["free"] }, "keys_by_age", "keys_by_owner"],
    [{ state: ["active"] }, "keys_by_age", "keys_by_owner"],
    [{ state: ["revoked"] }, "keys_possibly_inactive", "keys_possibly_inactive_by_owner"],
    [{ state: ["banned", "disabled"], plan: ["free"] }, "keys_possibly_inactive", "keys_possibly_inactive_by_owner"],
    [{ owner: email }, "keys_by_owner", "keys_by_owner"],
    [{ owner: email, state: ["expired"] }, "keys_by_owner", "keys_by_owner"],
    [{ owner: name }, "keys_by_owner_name", "keys_by_owner"],
    [{ owner: name, state: ["expired"] }, "keys_possibly_inactive_by_name", "keys_by_owner"],
  ])("%p", async (filter, index, byOwner) => {
    const keys = new SqliteKeys(database);
    for (const order of ORDERS) {
      for (const after of [undefined, { createdAt: 5, id: "key_1" }]) {
        const steps = await stepsOf(() => keys.list({ ...filter, order, limit: 10, after }, 1));
        const read = steps.filter((step) => step.includes(` INDEX ${order === "owner" ? byOwner : index}`));
        expect(read).not.toEqual([]);
        expect(steps.filter((step) => /TEMP B-TREE|^SCAN keys$/.test(step))).toEqual([]);
      }
    }
  });
});

test("keys of each state are counted by an index that has all that is compared", async () => {
  const steps = await stepsOf(() => new SqliteKeys(database).counts(1));
  const ofKeys = steps.filter((step) => / keys\b(?!_)/.test(step));
  for (const state of ["banned", "disabled", "expiring", "revoked"])
    expect(ofKeys.filter((step) => step.includes(`COVERING INDEX keys_${state}`))).toHaveLength(1);
  expect(ofKeys.filter((step) => !step.includes(" INDEX "))).toEqual([]);
});

test("idempotency keys that are to be deleted are found by an index, the oldest first", async () => {
  const prepare = spyOn(DatabaseSync.prototype, "prepare");
  try {
    await new SqlIdempotencyKeys(database).forget(5);
    const deletion = prepare.mock.calls.map(([text]) => text).find((text) => text.startsWith("DELETE")) ?? "";
    prepare.mockRestore();
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${deletion}`).all({ time: 5 });
    const steps = plan.map(({ detail }) => String(detail));
    expect(steps).toContain("SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_age (created_at<?)");
    expect(steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  } finally {
    prepare.mockRestore();
  }
});

test.each([
  ["3.51.2", true],
  ["3.51.3", false],
  ["3.51.10", false],
  ["3.9.9", true],
  ["3.54.0", false],
  ["4.0", false],
  ["3.51", true],
])("SQLite %s is too old: %p", (version, expected) => {
  states(
    "docs/running.md",
    "older versions can corrupt data and are refused. Both runtimes pass the same tests and use the same file.",
  );
  states("docs/upgrading.md", "Node is too old. | Use Bun (the default) or a newer Node.");
  expect(isOlder(version, "3.51.3")).toBe(expected);
});

describe("a schema that differs from a new database's is damage:", () => {
  /** Rewrites the definition of an object, as a program does that knows SQLite's tables. */
  const rewrite = (name: string, from: string, to: string) => `
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${name}';
    PRAGMA writable_schema = RESET;`;
  const differences: [difference: string, sql: string, problem: string][] = [
    [
      "a foreign trigger",
      "CREATE TRIGGER spy AFTER INSERT ON pets BEGIN DELETE FROM orders; END",
      "the trigger spy does not belong to a petstore",
    ],
    ["a foreign view", "CREATE VIEW shop AS SELECT * FROM pets", "the view shop does not belong to a petstore"],
    ["a foreign table", "CREATE TABLE notes (text)", "the table notes does not belong to a petstore"],
    ["a foreign index", "CREATE INDEX mine ON pets (version)", "the index mine does not belong to a petstore"],
    [
      "a foreign virtual table",
      "CREATE VIRTUAL TABLE texts USING fts5 (text)",
      "the table texts does not belong to a petstore",
    ],
    ["a missing trigger", "DROP TRIGGER pet_blocks_of_new_pets", "the trigger pet_blocks_of_new_pets is missing"],
    ["a missing index", "DROP INDEX pets_by_name", "the index pets_by_name is missing"],
    ["a missing table", "DROP TABLE sign_in_links", "the table sign_in_links is missing"],
    [
      "a trigger that does nothing",
      `DROP TRIGGER audit_is_never_changed;
       CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT 1; END`,
      "the trigger audit_is_never_changed is not defined as in a new database",
    ],
    [
      "an index of other columns",
      "DROP INDEX pets_by_name; CREATE INDEX pets_by_name ON pets (name_key)",
      "the index pets_by_name is not defined as in a new database",
    ],
    [
      "an index of another table",
      "DROP INDEX pets_by_name; CREATE INDEX pets_by_name ON orders (id)",
      "the index pets_by_name is not defined as in a new database",
    ],
    [
      "an added column",
      "ALTER TABLE operators ADD COLUMN colour TEXT",
      "the table operators is not defined as in a new database",
    ],
    [
      "a column of another name",
      "ALTER TABLE operators RENAME COLUMN role TO rank",
      "the table operators is not defined as in a new database",
    ],
    [
      "another check",
      rewrite("keys", "CHECK (per_minute > 0)", "CHECK (per_minute > 9)"),
      "the table keys is not defined as in a new database",
    ],
    [
      "another collation",
      rewrite("operators", "name TEXT NOT NULL", "name TEXT NOT NULL COLLATE NOCASE"),
      "the table operators is not defined as in a new database",
    ],
    [
      "another default",
      rewrite("pets", "version INTEGER NOT NULL DEFAULT 1", "version INTEGER NOT NULL DEFAULT 2"),
      "the table pets is not defined as in a new database",
    ],
  ];
  test.each(differences)("%s", async (_, sql, problem) => {
    states("docs/upgrading.md", "for a schema that differs from a new database's");
    states(
      "docs/data.md",
      "A trigger, view, table or index of another program is damage, as one that is missing or changed: `database check` names it, and neither a backup nor a restore accepts it.",
    );
    const own = temporaryFile();
    new Database(own).close();
    const other = new DatabaseSync(own.path);
    // Newer versions of Node let nobody write SQLite's own tables otherwise.
    other.enableDefensive?.(false);
    other.exec(sql);
    other.close();
    expect(checkDatabase(own).problems).toContain(problem);
    expect(checkBackup(own).problems).toContain(problem);
    expect(() => backupDatabase(own, `${own.path}.copy`, false)).toThrow(problem);
    const target = { ...own, path: `${own.path}.target`, create: true };
    await expect(restoreDatabase(own.path, target, `${target.path}.before`)).rejects.toThrow(" is damaged: ");
    own.remove();
  });

  test("one that SQLite itself made is none", () => {
    const own = temporaryFile();
    new Database(own).close();
    const other = new DatabaseSync(own.path);
    other.exec("ANALYZE; PRAGMA optimize; VACUUM");
    other.close();
    expect(checkDatabase(own).problems).toEqual([]);
    own.remove();
  });
});

const AUDIT = "INSERT INTO audit (at, operator_name, action";

describe("what the database says that its rows do not is damage, to the check and to a restore:", () => {
  test.each([
    ["a status of a pet", "UPDATE pets SET status = 'weird'", "2 rows of pets have an unknown status"],
    ["a status of an order", "UPDATE orders SET status = 'lost'", "1 rows of orders have an unknown status"],
    ["a key of a name", "UPDATE pets SET name_key = 'x' WHERE id = 1", "1 rows of pets have another name_key"],
    ["a key of a category", "UPDATE categories SET name_key = 'x'", "1 rows of categories have another name_key"],
    [
      "more pets than there are",
      "UPDATE inventory SET available = 50 WHERE shard = 3",
      "inventory does not agree with pets",
    ],
    ["fewer orders", "UPDATE inventory SET placed = 0", "inventory does not agree with orders"],
    ["no inventory", "DELETE FROM inventory", "inventory does not agree with pets"],
    ["more keys", "UPDATE key_total SET keys = 50", "key_total does not agree with keys"],
    ["two totals of keys", "INSERT INTO key_total VALUES (0)", "key_total does not agree with keys"],
    ["no total of keys", "DELETE FROM key_total", "key_total does not agree with keys"],
    ...[
      ["limit_windows", "numbers", "INSERT INTO limit_windows VALUES (0, x'00', NULL)"],
      ["limit_windows", "others", `INSERT INTO limit_windows VALUES (0, zeroblob(${PAGE_BYTES}), '{cut')`],
      ["audit", "before_json", `${AUDIT}, before_json, after_json) VALUES (0, '', '', '{cut', '{}')`],
      ["audit", "after_json", `${AUDIT}, before_json, after_json) VALUES (0, '', '', '{}', '{cut')`],
      ["audit", "after_json", `${AUDIT}, after_json) VALUES (0, '', '', '{cut')`],
      ["imports", "entry", "INSERT INTO imports VALUES ('', 0, '{cut')"],
    ].map(([table, column, sql = ""]) => [
      `a text or numbers of ${table} in ${column}`,
      sql,
      `1 rows of ${table} cannot be decoded: ${column}`,
    ]),
    [
      "a secret of no key",
      "PRAGMA foreign_keys = OFF; INSERT INTO secrets VALUES ('', 'key_1', '', 0, NULL)",
      "a row of secrets refers to a missing row of keys",
    ],
    ["no deployment", "DELETE FROM deployment", "its deployment cannot be read"],
    ["two deployments", "INSERT INTO deployment VALUES ('staging')", "its deployment cannot be read"],
  ])("%s", async (_, sql = "", problem = "") => {
    states(
      "docs/upgrading.md",
      "for statuses that do not exist and totals that do not agree with their rows",
      "for rows that cannot be decoded",
    );
    states("docs/backups.md", "checked: its pages, its schema, the references between its rows, and their JSON.");
    const own = temporaryFile();
    const written = new Database(own);
    const pets = new SqlitePets(written);
    for (const name of ["Größe", "Rex"]) await pets.create({ name, categoryId: 1n }, { now: Date.now() });
    const idempotencyKeys = new SqlIdempotencyKeys(written);
    await sqlCategories(written, idempotencyKeys).put({ id: 1n, name: "Dogs" }, { now: Date.now() });
    await new SqlOrders(written, idempotencyKeys).place(1n, 1);
    written.close();
    expect(checkDatabase(own)).toEqual({ problems: [], lost: undefined });
    const other = new DatabaseSync(own.path);
    other.exec(sql);
    other.close();
    const found = () => checkDatabase(own).problems.join("\n");
    if (problem.startsWith("its deployment")) expect(found).toThrow(problem);
    else expect(found()).toContain(problem);
    expect(() => backupDatabase(own, `${own.path}.copy`, false)).toThrow(problem);
    const target = { ...own, path: `${own.path}.target`, create: true };
    await expect(restoreDatabase(own.path, target, `${target.path}.before`)).rejects.toThrow(problem);
    own.remove();
  });
});
