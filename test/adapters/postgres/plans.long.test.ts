import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Retained } from "../../../src/adapters/sql/retention.ts";
import type { AuditFilter } from "../../../src/domain/audit.ts";
import { type EventsPage, parseSubject } from "../../../src/domain/events.ts";
import type { KeyFilter } from "../../../src/domain/keys/store.ts";
import { nameKey, type Page } from "../../../src/domain/pets.ts";
import { openPostgresStores } from "../../../src/wiring/postgres-stores.ts";
import { states } from "../../support/markdown.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

/** A million pets. A tenth of the last 10,000 is pending, no other; half are of category 1; 1,000 names repeat. */
const PETS = 1_000_000;
const ORDERS = 300_000;
const KEYS = 2_000;
const ENTRIES = 100_000;
/**
 * So many rows, or five times as many, have other tables, which most of the reads concern a few of. There are twenty times as many
 * idempotency keys: up to half of them PostgreSQL rather reads the table than to look up 500.
 */
const OTHERS = 20_000;
const NOW = Date.UTC(2026, 11, 2, 10);
const HOUR = 3_600_000;

/** In bulk: an index is built faster than it is kept. */
const FILL = `
  SET synchronous_commit = off; SET auto_explain.log_min_duration = -1;
  SET maintenance_work_mem = '128MB';
  CREATE TEMPORARY TABLE indexes AS
    SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'pets' AND indexname LIKE 'pets_by%';
  DO $do$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM indexes LOOP EXECUTE 'DROP INDEX petstore.' || one.indexname; END LOOP;
  END $do$;
  CREATE TEMPORARY TABLE names AS SELECT number, key FROM json_to_recordset($json$NAMES$json$) AS name (number int, key text);
  INSERT INTO petstore.pets (name, category_id, status, name_key)
    SELECT 'Pet ' || number, CASE WHEN id % 2 = 0 THEN 1 ELSE 2 + id % 3 END,
      CASE WHEN id > ${PETS * 0.99} AND id % 10 = 0 THEN 'pending' WHEN id > ${PETS * 0.6} AND id % 3 = 0 THEN 'sold'
        ELSE 'available' END, key
    FROM generate_series(1, ${PETS}) AS ids (id) JOIN names ON number = id % 1000 ORDER BY id;
  DO $do$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM indexes LOOP EXECUTE one.indexdef; END LOOP;
  END $do$;
  INSERT INTO petstore.orders (reference, pet_id, pet_name, pet_category_id, status, created_at, updated_at)
    SELECT CASE WHEN id % 3 = 0 THEN 'Often' WHEN id % 3 = 1 THEN 'R ' || id END, id, 'Rex', 1, CASE WHEN id > ${ORDERS * 0.8} AND id % 2 = 0 THEN 'cancelled' WHEN id > ${ORDERS * 0.97} THEN 'approved'
      ELSE 'delivered' END, id, id
    FROM generate_series(1, ${ORDERS}) AS ids (id);
  INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at, revoked_at, search_text, last_fours)
    SELECT 'key_' || id, 'Key ' || id, CASE WHEN id < 100 THEN 'enterprise' ELSE 'free' END, 60, 1000, '[]', id,
      CASE WHEN id % 20 = 15 THEN id END, 'key_' || id || chr(10) || 'key ' || id, substr(md5(id::text), 1, 4)
    FROM generate_series(1, ${KEYS}) AS ids (id);
  INSERT INTO petstore.secrets (hash, key_id, last_four, created_at, expires_at)
    SELECT 'hash ' || id, 'key_' || id, substr(md5(id::text), 1, 4), id, CASE WHEN id % 2 = 0 THEN id END
    FROM generate_series(1, ${KEYS}) AS ids (id);
  INSERT INTO petstore.deprecated_calls (key_id, operation, calls, last_called_at)
    SELECT 'key_' || id, 'getPet', 1, id FROM generate_series(1, ${KEYS}) AS ids (id);
  INSERT INTO petstore.idempotency_keys (key_id, idempotency_key, created_at, request, created_id)
    SELECT 'key_' || id, 'known', ${NOW} + id, '', id FROM generate_series(1, ${KEYS}) AS ids (id);
  INSERT INTO petstore.secrets (hash, key_id, last_four, created_at)
    SELECT 'other ' || id, 'other_' || id % 5000, 'abcd', id FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.deprecated_calls (key_id, operation, calls, last_called_at)
    SELECT 'other_' || id, 'getPet', id, ${NOW} + id FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at, search_text, owner_email, owner_key)
    SELECT 'other_' || id, 'Other ' || id, 'free', 60, 1000, '[]', ${KEYS} + id, 'other_' || id || chr(10) || 'other ' || id,
      id % 4000 || '@example.org', 'e:' || id % 4000 || '@example.org'
    FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.idempotency_keys (key_id, idempotency_key, created_at, request, created_id)
    SELECT 'other_' || id, 'known', ${NOW} + ${HOUR} + id, '', id FROM generate_series(1, ${20 * OTHERS}) AS ids (id);
  INSERT INTO petstore.operators (id, name, role, token_hash, created_at)
    SELECT 'op_' || id, 'Ada', 'viewer', 'token ' || id, id FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.sessions (hash, operator_id, created_at, expires_at)
    SELECT 'session ' || id, 'op_' || id, id, ${NOW} FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.events (at, type, resource_id, members)
    SELECT id, CASE WHEN id % 3 = 0 THEN 'pet.updated' ELSE 'pet.created' END, id, '}'
    FROM generate_series(1, ${5 * OTHERS}) AS ids (id);
  INSERT INTO petstore.webhook_deliveries (endpoint_id, event_id, type, at, attempt, milliseconds, status)
    SELECT 'whe_' || id % 100, id, 'pet.created', id, 1, 3, 200 FROM generate_series(1, ${OTHERS}) AS ids (id);
  INSERT INTO petstore.audit (at, operator_id, operator_name, action, target)
    SELECT id * ${HOUR}::bigint, CASE WHEN id < ${ENTRIES * 0.3} THEN 'op_early' ELSE 'op_late' END,
      CASE WHEN id < ${ENTRIES * 0.3} THEN 'Early' ELSE 'Late' END,
      CASE WHEN id % 2 = 0 THEN 'pet.update' WHEN id > ${ENTRIES * 0.3} AND id % 4 = 1 THEN 'key.update' ELSE 'pet.create' END,
      'pets/' || id
    FROM generate_series(1, ${ENTRIES}) AS ids (id);
  INSERT INTO petstore.usage (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
    SELECT ${HOUR}, ${NOW} - hour * ${HOUR}, 'key_' || id, 'listPets', id, 0, id % 2, 0, 0
    FROM generate_series(1, 10000) AS ids (id), generate_series(0, 9) AS hours (hour);
  INSERT INTO petstore.usage_rankings (resolution, at, ranking, who, operation, count)
    SELECT resolution, at, ranking, who, operation, CASE ranking WHEN 'requests' THEN succeeded + limited ELSE limited END
    FROM petstore.usage, (VALUES ('requests'), ('refusals')) AS rankings (ranking) WHERE succeeded > 9700;
  ANALYZE`;

/** The pages of indexes and tables that a statement may read, or change, and the rows. Half of the pets are 10,000 pages. */
const MOST_READ = 300;
const MOST_CHANGED = 1_500;
/** A page of the audit log has each entry on another page, at worst. Those of an author alone are 200 pages of an index. */
const MOST_OF_AUDIT = 50;
const MOST_ROWS = 2_500;
/** The pets that a count or a list of a beginning of names looks at, and a few: one on each page, at worst. */
const MOST_COUNTED = 10_100;
/** PostgreSQL plans a prepared statement for unknown values from its sixth run on, if it expects no worse. */
const RUNS = 8;

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
};
type Explained = { "Query Text": string; Plan: Plan };

let postgres: Postgres;
let stores: Awaited<ReturnType<typeof openPostgresStores>>;
let marks = 0;
let read = 0;

beforeAll(async () => {
  postgres = await startPostgres({
    settings: {
      shared_buffers: "512MB",
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_analyze": "on",
      "auto_explain.log_timing": "off",
      "auto_explain.log_buffers": "on",
      "auto_explain.log_nested_statements": "on",
      "auto_explain.log_format": "json",
      logging_collector: "on",
      log_directory: "log",
      log_filename: "plans",
      log_destination: "jsonlog",
    },
  });
  stores = await openPostgresStores(
    { url: postgres.url, poolSize: 6, deployment: "production" },
    { checksCategories: false },
    () => {},
    [],
  );
  const names = Array.from({ length: 1_000 }, (_, number) => ({ number, key: nameKey(`Pet ${number}`) }));
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(FILL.replace("NAMES", () => JSON.stringify(names)));
  await client.end();
});
afterAll(async () => {
  await stores.close();
  await postgres.remove();
});

/** The plans of all statements that ran since the last call. */
async function plansSince(): Promise<Explained[]> {
  const mark = `mark ${++marks}`;
  await postgres.query(`SELECT '${mark}'`);
  const deadline = performance.now() + 10_000;
  for (;;) {
    const lines = readFileSync(join(postgres.data, "log", "plans.json"), "utf8").split("\n");
    const end = lines.findIndex((line, i) => i >= read && line.includes(mark));
    if (end >= 0) {
      const messages = lines.slice(read, end).map((line): string => JSON.parse(line).message);
      read = end + 1;
      return messages.filter((text) => text.includes("plan:")).map((text) => JSON.parse(text.slice(text.indexOf("{"))));
    }
    if (performance.now() > deadline) throw new Error("the server did not log its plans");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What is wrong with a plan, and all below it. */
function faultsOf(plan: Plan, mostRows: number, mostPages: number): string[] {
  const rows = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  return [
    ...(rows > mostRows ? [`${plan["Node Type"]} on ${plan["Relation Name"]} reads ${rows} rows`] : []),
    ...(pages > mostPages ? [`${plan["Node Type"]} on ${plan["Relation Name"]} reads ${pages} pages`] : []),
    ...(plan.Plans ?? []).flatMap((below) => faultsOf(below, mostRows, mostPages)),
  ];
}

const page: Page = { limit: 21, after: 0n };
const name = "pet 7";
const rare = "pending" as const;
const author = { id: "op_1", name: "Ada" };
const by = { operator: author };
const key = (text: string) => ({ keyId: "key_1", key: text, now: NOW });
let created = 0;
let deletions = 0;

type Read = [name: string, run: () => unknown];

const reads: Read[] = [
  ["all pets", () => stores.pets.list(page)],
  ["pets deep in the list", () => stores.pets.list({ ...page, after: 500_000n })],
  ["pets of a rare and late status", () => stores.pets.list({ ...page, status: rare })],
  [
    "pets of a status, newest first",
    () => stores.pets.list({ ...page, status: "sold", order: "desc", after: 600_000n }),
  ],
  ["pets of the largest category", () => stores.pets.list({ ...page, categoryId: 1n, after: 999_000n })],
  ["pets of a category that has none", () => stores.pets.list({ ...page, categoryId: 77n })],
  ["pets of a category and a rare status", () => stores.pets.list({ ...page, categoryId: 1n, status: rare })],
  [
    "pets of a category and a status that it has not",
    () => stores.pets.list({ ...page, categoryId: 3n, status: rare }),
  ],
  [
    "the last pets of a category and a rare status",
    () => stores.pets.list({ ...page, categoryId: 1n, status: rare, order: "desc", after: 990_100n }),
  ],
  ["pets with a name", () => stores.pets.list({ ...page, name })],
  ["pets with a name and a rare status", () => stores.pets.list({ ...page, name, status: rare })],
  [
    "pets with a name, a category and a status",
    () => stores.pets.list({ ...page, name, categoryId: 1n, status: rare }),
  ],
  ["pets by their ids", () => stores.pets.list({ ...page, ids: [1n, 500_000n, 999_990n], status: rare })],
  ["a page for commands", () => stores.pets.list({ ...page, status: rare, limit: 500 })],
  ["a pet", () => stores.pets.get(500_000n)],
  ["the inventory", () => stores.pets.inventory()],
  ["all orders", () => stores.orders.list({ limit: 21 })],
  ["orders of a late status", () => stores.orders.list({ limit: 21, status: "cancelled" })],
  ["orders of a rare status", () => stores.orders.list({ limit: 21, status: "approved" })],
  [
    "orders of a status that none has, newest first",
    () => stores.orders.list({ limit: 21, status: "placed", order: "desc" }),
  ],
  ["orders of a pet", () => stores.orders.list({ limit: 21, petId: 7n })],
  ["orders of a pet and a status", () => stores.orders.list({ limit: 21, petId: 7n, status: "delivered" })],
  ["orders with a reference", () => stores.orders.list({ limit: 21, reference: "R 7" })],
  ["orders with a frequent reference", () => stores.orders.list({ limit: 21, reference: "Often", order: "desc" })],
  ["orders that have expired", () => stores.orders.expire(NOW)],
  ["orders by their ids", () => stores.orders.list({ limit: 21, ids: [1n, 299_999n], status: "cancelled" })],
  ["categories", () => stores.categories.list({ limit: 21 })],
  ["a category by its name", () => stores.categories.list({ limit: 21, name: "Dogs" })],
  ["a key by its secret", () => stores.keys.findBySecret("hash 7")],
  ["usage of a key", () => stores.usage.usageOf("key_7", { hour: [NOW, NOW - HOUR], day: [NOW] })],
  ["usage of plans", () => stores.usage.usageOfPlans("hour", [NOW, NOW - HOUR])],
  ["the busiest keys of an hour", () => stores.usage.busiest("requests", "hour", [NOW, NOW - HOUR], 100)],
  ["the keys that were refused most", () => stores.usage.busiest("refusals", "hour", [NOW, NOW - HOUR], 100)],
  ["sums of keys", () => stores.usage.sumsOf(["key_7", "key_8"], "hour", [NOW, NOW - HOUR])],
  ["latency", () => stores.usage.latency({ hour: [NOW, NOW - HOUR] })],
  [
    "an export of a rare status",
    async () => {
      for await (const _ of stores.bulk.snapshot(rare)) break;
    },
  ],
];

/** Each of them in each order, from the first key and from one in the middle. */
const keyFilters: KeyFilter[] = [
  {},
  { plan: ["enterprise"] },
  { state: ["active"] },
  { state: ["revoked"] },
  { state: ["banned", "expired"], plan: ["free"] },
  { owner: { email: "7@example.org" } },
  { owner: { name: "Ada" } },
  { owner: { email: "7@example.org" }, state: ["disabled"] },
  { search: "other 777" },
  { isRehearsing: true },
];
const keys: Read[] = keyFilters.map((filter) => [
  `keys by ${JSON.stringify(filter)}`,
  async () => {
    for (const order of ["newest", "oldest", "owner"] as const)
      for (const after of [undefined, { createdAt: KEYS + 10_000, id: "other_10000" }])
        await stores.keys.list({ ...filter, order, limit: 21, after }, NOW);
  },
]);

const authors = [undefined, "op_early", "op_late", "Early", "Late"];
/** The first two are frequent, but the second one is done only by operators that came later; the third one by nobody. */
const actions = [["pet.update"], ["key.update"], ["webhook.create"], ["pet.update", "key.create"]] as const;
const times = [
  {},
  { from: 14_900 * HOUR },
  { from: (ENTRIES - 5) * HOUR },
  { to: 100 * HOUR },
  { from: 50 * HOUR, to: 100 * HOUR },
  { to: ENTRIES * HOUR },
];
const filters: AuditFilter[] = authors.flatMap((operator) =>
  [undefined, ...actions].map((action) => ({
    ...(operator !== undefined && { operator }),
    ...(action !== undefined && { action: [...action] }),
  })),
);

/** Each of them in both directions, at the beginning, in the middle and at the end of the feed. */
const feeds: Omit<EventsPage, "limit" | "after">[] = [
  {},
  { types: ["pet.created"] },
  { types: ["pet.deleted"] },
  { types: ["pet.updated", "category.deleted", "order.placed"] },
  { subject: parseSubject("pets/70000") },
  { subject: parseSubject("pets/70000"), types: ["pet.updated"] },
];
const events: Read[] = feeds.map((feed) => [
  `events by ${JSON.stringify({ ...feed, subject: feed.subject?.text })}`,
  async () => {
    for (const order of ["asc", "desc"] as const)
      for (const after of [2n, 50_000n, 200_000n]) await stores.events.list({ limit: 21, after, order, ...feed });
  },
]);

const others: Read[] = [
  ["a key with its secrets", () => stores.keys.get("key_7")],
  ["an operator by a token", () => stores.operators.findByToken("token 700")],
  ["an operator by a session", () => stores.operators.findBySession("session 700")],
  ["calls of deprecated operations by a key", () => stores.counters.deprecatedCallsOf("other_700")],
  ...(["lastCalledAt", "calls", "keyId"] as const).map(
    (order): Read => [
      `callers by ${order}`,
      async () => {
        const after = (await stores.counters.callers({ order, limit: 21 })).at(-1);
        await stores.counters.callers({ order, limit: 21, operation: "getPet", ...(after && { after }) });
      },
    ],
  ),
  ["deliveries of a webhook endpoint", () => stores.webhooks().deliveries("whe_7")],
];

const audits: Read[] = [...filters, { target: "pets/7" }, { target: "pets/7", operator: "op_late" }].map((filter) => [
  `the audit log by ${JSON.stringify(filter)}, of any time`,
  () => Promise.all(times.map((time) => stores.audit.list({ limit: 21, ...filter, ...time }))),
]);

/** Names of 111,000 pets begin so. */
const many = "pet 7*";
const beginnings: [string, () => unknown][] = [
  ["pets whose names begin so", () => stores.pets.list({ ...page, name: "pet 777*" })],
  ["no pets, whose names begin so", () => stores.pets.list({ ...page, name: "pes*", order: "desc", after: 900_000n })],
  ["how many pets have names that begin so", () => stores.pets.count({ name: "pet 777*" })],
  ["many pets whose names begin so", () => stores.pets.list({ ...page, name: many })],
  ["all pets, whose names begin so", () => stores.pets.list({ ...page, name: "p*", order: "desc", after: 600_000n })],
  ["many of a status", () => stores.pets.list({ ...page, name: many, status: "sold" })],
  [
    "many of a category and a rare status",
    () => stores.pets.list({ ...page, name: many, categoryId: 1n, status: rare }),
  ],
  ["a beginning that is too long for a key", () => stores.pets.list({ ...page, name: `${"pet".repeat(171)}*` })],
  ["how many are too many", () => stores.pets.count({ name: many, status: rare })],
];

const writes: [string, () => unknown][] = [
  ["a creation", () => stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() })],
  ["an operator's creation", () => stores.pets.create({ name: "Rex", categoryId: 1n }, { by, now: NOW })],
  [
    "an idempotent creation",
    () => stores.pets.createIdempotently({ name: "Rex", categoryId: 1n }, key(`new ${++created}`)),
  ],
  ["a change", () => stores.pets.update(500_001n, { name: `Rex ${++created}` }, { now: Date.now() })],
  ["a removal", () => stores.pets.delete(BigInt(700_000 + 2 * ++created), { now: Date.now() })],
  ["an order", () => stores.orders.place(BigInt(400_001 + ++created), NOW)],
  ["a new category", () => stores.categories.create({ name: `Category ${++created}` }, { now: Date.now() })],
  [
    "a category's removal",
    async () => {
      await stores.categories.put({ id: 9_000n, name: "Unused" }, { now: Date.now() });
      await stores.categories.delete(9_000n, { now: Date.now() });
    },
  ],
  [
    "an import",
    () =>
      stores.bulk.add([{ name: "Rex", categoryId: 1n }], {
        at: NOW,
        operator: author,
        action: "pet.create",
      }),
  ],
  [
    "a delivery that is kept",
    () =>
      stores
        .webhooks()
        .keep(
          "whe_7",
          { eventId: 1, type: "pet.created", at: NOW, attempt: 1, milliseconds: 3, status: 200 },
          { at: NOW, operator: author, action: "webhook.test", target: "whe_7" },
        ),
  ],
  [
    "an operator who is revoked, and signed out",
    async () => {
      const target = `op_${700 + ++created}`;
      const entry = { at: NOW, operator: author, action: "operator.revoke", target } as const;
      expect(await stores.operators.revoke(target, NOW, entry)).toBe(true);
    },
  ],
  ["old usage", () => stores.usage.prune(NOW + 90 * 24 * HOUR - 5 * HOUR, 100)],
  ["old orders", () => deleteEnded("orders", 150 * ++deletions)],
  ["old revoked keys, secrets and callers", () => deleteEnded("keys", 5 * ++deletions)],
  ["old entries of the audit log", () => deleteEnded("audit", 50 * ++deletions * HOUR)],
];

/** 500 of them, each looked up in an index, and deleted. */
const forgotten: Read[] = [["old idempotency keys", () => stores.idempotencyKeys.forget(NOW + 1_000)]];
const MOST_FORGOTTEN = 4_000;

/** Runs an iteration of generated values to its end. */
async function deleteEnded(kind: Retained, before: number): Promise<void> {
  let deleted = 0;
  for await (const rows of stores.deleteEnded({ kind, before, now: NOW })) deleted += rows;
  expect(deleted).toBeGreaterThan(0);
}

describe.each([
  ...reads.map((read) => [...read, MOST_ROWS, MOST_READ] as const),
  ...[...events, ...keys, ...others].map((read) => [...read, MOST_ROWS, MOST_READ] as const),
  ...audits.map((read) => [...read, MOST_ROWS, MOST_OF_AUDIT] as const),
  ...writes.map((write) => [...write, MOST_ROWS, MOST_CHANGED] as const),
  ...forgotten.map((write) => [...write, MOST_ROWS, MOST_FORGOTTEN] as const),
  ...beginnings.map((read) => [...read, MOST_COUNTED, MOST_COUNTED] as const),
])("%s", (_, run, mostRows, mostPages) => {
  test("reads few rows and pages", async () => {
    states(
      "docs/scaling.md",
      "Plans: each list reads its page, and no more, from an index, even if PostgreSQL expects another one to be faster: also of a status, a category or a name that no pet has, or only the latest of millions. Only for the beginning of names it reads up to 10,000 to find the page.",
    );
    await plansSince();
    for (let i = 0; i < RUNS; i++) await Promise.all([run()]);
    const plans = await plansSince();
    expect(plans.length).toBeGreaterThan(0);
    const faults = plans.flatMap((plan) =>
      faultsOf(plan.Plan, mostRows, mostPages).map((fault) => `${fault}: ${plan["Query Text"]}`),
    );
    expect(faults).toEqual([]);
  });
});
