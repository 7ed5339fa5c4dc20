import { nameKey } from "../../src/domain/pets.ts";
/** Rows of every table, as they were before schema 5 removed the lists of values from the tables and gave keys versions. */
export const rowsOfSchema4: Record<string, Record<string, string | number | null>[]> = {
  pets: [
    { id: 1, name: "Rex", category_id: -7, status: "available" },
    { id: 2, name: "Mia 🐈", category_id: 3, status: "pending" },
    { id: 3, name: "MIA", category_id: 3, status: "sold" },
    { id: 5, name: "Ｍｉａ", category_id: 3, status: "pending" },
    { id: 6, name: "mia", category_id: 3, status: "sold" },
    { id: 7, name: "", category_id: 0, status: "sold" },
  ],
  keys: [
    key("key_free", { last_used_at: 99 }),
    key("key_pro", { plan: "pro", scopes: "", expires_at: 5, revoked_at: 6, pardoned_at: 7 }),
    key("key_enterprise", { plan: "enterprise", per_minute: 1_000_000_000, per_day: 1 }),
  ],
  secrets: [
    { hash: "a", key_id: "key_free", last_four: "AAAA", created_at: 1, expires_at: 2 },
    { hash: "b", key_id: "key_free", last_four: "bbbb", created_at: 2, expires_at: null },
    { hash: "c", key_id: "key_pro", last_four: "cccc", created_at: 1, expires_at: null },
  ],
  counters: [
    {
      key_id: "key_free",
      usage:
        '{"minute":{"count":3,"resetAt":60},"day":{"count":4,"resetAt":86400},"banState":{"strikes":[],"ban":{"since":9,"until":900,"step":0}}}',
    },
  ],
  deprecated_calls: [{ key_id: "key_free", operation: "getPet", calls: 3, last_called_at: 9, user_agent: null }],
  creations: [
    {
      key_id: "key_free",
      idempotency_key: "once",
      created_at: 4,
      pet_id: 1,
      name: "Rex",
      category_id: -7,
      status: "available",
    },
  ],
  usage: [
    {
      resolution: 60_000,
      at: 0,
      who: "key_free",
      operation: "listPets",
      succeeded: 1,
      refused: 2,
      limited: 3,
      failed: 4,
      bans: 5,
    },
  ],
  usage_latency: [{ resolution: 60_000, at: 0, bucket: 3, count: 8 }],
  usage_writers: [{ writer: "w", number: 2, at: 0 }],
  operators: [
    { id: "op_1", name: "Ada", role: "admin", token_hash: "t1", created_at: 1, revoked_at: null },
    { id: "op_2", name: "Bob", role: "viewer", token_hash: "t2", created_at: 2, revoked_at: 3 },
  ],
  sessions: [{ hash: "s", operator_id: "op_1", created_at: 1, expires_at: 2 }],
  audit: [
    {
      id: 4,
      at: 1,
      operator_id: "op_1",
      operator_name: "Ada",
      action: "key.create",
      target: "key_free",
      before_json: null,
      after_json: '{"name":"a"}',
      request_id: "r",
    },
  ],
};

function key(id: string, more: Record<string, string | number | null>) {
  const content = {
    name: `Name of ${id} Ä`,
    plan: "free",
    per_minute: 60,
    per_day: 1_000,
    scopes: "pets:read pets:write",
  };
  const times = { created_at: 1, expires_at: null, revoked_at: null, last_used_at: null, pardoned_at: null };
  return { id, ...content, ...times, ...more };
}

const lastFours: Record<string, string> = { key_free: "aaaa bbbb", key_pro: "cccc" };

const { creations: _, ...others } = rowsOfSchema4;

/** The same rows as the schema of today has them. */
export const rowsNow = {
  ...others,
  idempotency_keys: [
    {
      key_id: "key_free",
      idempotency_key: "once",
      created_at: 4,
      request: "createPet available -7 Rex",
      created_id: 1,
    },
  ],
  keys: rowsOfSchema4.keys?.map((row) => ({
    ...row,
    version: 1,
    disabled_at: null,
    banned_until: row.id === "key_free" ? 900_000 : null,
    owner_name: null,
    owner_email: null,
    owner_key: "~",
    owner_name_key: null,
    note: null,
    simulation: null,
    simulation_requests: 0,
    search_text: `${row.id} name of ${row.id} ä`,
    last_fours: lastFours[String(row.id)] ?? "",
  })),
  pets: rowsOfSchema4.pets?.map((row) => ({ ...row, version: 1, name_key: nameKey(String(row.name)) })),
};

/** What inserts a row, with `placeholder` for the value at an index. */
export function insertion(table: string, row: object, placeholder: (index: number) => string): string {
  const columns = Object.keys(row);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((_, i) => placeholder(i)).join(", ")})`;
}

/** Rows in no order, with texts for numbers, as one engine gives them. */
export function comparable(rows: object[] = []): string[] {
  const text = (row: object) =>
    JSON.stringify(
      Object.entries(row)
        .map(([name, value]) => [name, value === null ? null : String(value)])
        .sort(),
    );
  return rows.map(text).sort();
}
