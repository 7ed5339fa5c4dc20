/**
 * Tables that are the same on both engines, as PostgreSQL writes them; the migrations of SQLite translate them. Those of a
 * released migration never change: SQLite keeps their text, line by line, and the check of a database compares it.
 */
export const tables = {
  categories: `CREATE TABLE IF NOT EXISTS petstore.categories (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL UNIQUE,
  version BIGINT NOT NULL
)`,
  orders: `CREATE TABLE IF NOT EXISTS petstore.orders (
  id BIGINT PRIMARY KEY DEFAULT nextval('petstore.order_ids') CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id BIGINT NOT NULL,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  version BIGINT NOT NULL DEFAULT 1
)`,
  /** Idempotent creations: each idempotency key with the request and the id of what it created. */
  idempotencyKeys: `CREATE TABLE IF NOT EXISTS petstore.idempotency_keys (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  request TEXT NOT NULL,
  created_id BIGINT NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
)`,
  /**
   * `banned_until` is in Unix ms. `search_text` and `last_fours` are what a search compares, in lower case: the id and the name,
   * and the last four characters of the secrets. `simulation` is what requests are answered with instead, as JSON. No column lists
   * its values, as the code does: SQLite can drop a check only by rebuilding a table.
   */
  keys: `CREATE TABLE IF NOT EXISTS petstore.keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  per_minute BIGINT NOT NULL CHECK (per_minute > 0),
  per_day BIGINT NOT NULL CHECK (per_day > 0),
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  pardoned_at BIGINT,
  version BIGINT NOT NULL DEFAULT 1,
  disabled_at BIGINT,
  banned_until BIGINT,
  search_text TEXT NOT NULL DEFAULT '',
  last_fours TEXT NOT NULL DEFAULT '',
  owner_name TEXT,
  owner_email TEXT,
  owner_key TEXT COLLATE "C" NOT NULL DEFAULT '~',
  owner_name_key TEXT COLLATE "C",
  note TEXT,
  simulation TEXT,
  simulation_requests BIGINT NOT NULL DEFAULT 0
)`,
  /** Calls of deprecated operations, whose callers are listed by their last call or by their number of calls. */
  deprecatedCalls: `CREATE TABLE IF NOT EXISTS petstore.deprecated_calls (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  calls BIGINT NOT NULL,
  last_called_at BIGINT NOT NULL,
  user_agent TEXT,
  PRIMARY KEY (key_id, operation)
)`,
  /**
   * Usage of each key, and of all clients (`*`), in the period of `resolution` ms that begins at `at` (Unix ms). By the
   * primary key, rows that are added or deleted together are adjacent.
   */
  usage: `CREATE TABLE IF NOT EXISTS petstore.usage (
  resolution INTEGER NOT NULL,
  at BIGINT NOT NULL,
  who TEXT NOT NULL,
  operation TEXT NOT NULL,
  succeeded BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  limited BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  bans BIGINT NOT NULL,
  PRIMARY KEY (resolution, at, who, operation)
)`,
  usageLatency: `CREATE TABLE IF NOT EXISTS petstore.usage_latency (
  resolution INTEGER NOT NULL,
  at BIGINT NOT NULL,
  bucket INTEGER NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (resolution, at, bucket)
)`,
  /** The link by which the first operator signs in. */
  signInLinks: `CREATE TABLE IF NOT EXISTS petstore.sign_in_links (
  hash TEXT PRIMARY KEY,
  expires_at BIGINT NOT NULL
)`,
  audit: `CREATE TABLE IF NOT EXISTS petstore.audit (
  id BIGINT PRIMARY KEY DEFAULT nextval('petstore.audit_ids'),
  at BIGINT NOT NULL,
  operator_id TEXT,
  operator_name TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT,
  before_json TEXT,
  after_json TEXT,
  request_id TEXT
)`,
  /**
   * The feed of all changes of pets, categories and orders. `resource_id` is the id of what its type is about, and `members` the
   * JSON text of what follows the id and the type. No event has the id 1, so that it is the position before the first one.
   */
  events: `CREATE TABLE IF NOT EXISTS petstore.events (
  id BIGINT PRIMARY KEY DEFAULT nextval('petstore.event_ids'),
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  resource_id BIGINT NOT NULL,
  members TEXT NOT NULL
)`,
  /** Webhook endpoints with their signing secrets, and the leases of the processes that deliver them: see `sqlWebhooks`. */
  webhookEndpoints: `CREATE TABLE IF NOT EXISTS petstore.webhook_endpoints (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  description TEXT NOT NULL,
  secrets TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  position BIGINT NOT NULL,
  failures INTEGER NOT NULL,
  next_attempt_at BIGINT,
  disabled_at BIGINT,
  disabled_by TEXT,
  disabled_reason TEXT,
  revision BIGINT NOT NULL,
  lease_holder TEXT NOT NULL DEFAULT '',
  lease_ends_at BIGINT NOT NULL DEFAULT 0
)`,
  /** The last deliveries of each endpoint. */
  webhookDeliveries: `CREATE TABLE IF NOT EXISTS petstore.webhook_deliveries (
  id BIGINT PRIMARY KEY DEFAULT nextval('petstore.webhook_delivery_ids'),
  endpoint_id TEXT NOT NULL,
  event_id BIGINT,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  attempt INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  status INTEGER,
  error TEXT
)`,
  /** Alerts of operators. Of a type and subject one is open. Each time one is raised or ends it gets the next position: see `sqlAlerts`. */
  alerts: `CREATE TABLE IF NOT EXISTS petstore.alerts (
  id BIGINT PRIMARY KEY,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  raised_at BIGINT NOT NULL,
  ended_at BIGINT,
  acknowledged_at BIGINT,
  acknowledged_by TEXT,
  position BIGINT NOT NULL UNIQUE
)`,
};

/** The indexes that are the same, by what they are of. */
export const indexes = {
  /** A list of the keys in a state reads these alone. */
  keysInStates: [
    "CREATE INDEX IF NOT EXISTS keys_revoked ON petstore.keys (created_at, id, revoked_at) WHERE revoked_at IS NOT NULL",
    `CREATE INDEX IF NOT EXISTS keys_expiring ON petstore.keys (created_at, id, revoked_at, expires_at)
  WHERE revoked_at IS NULL AND expires_at IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS keys_disabled ON petstore.keys (created_at, id, revoked_at, expires_at, disabled_at)
  WHERE revoked_at IS NULL AND disabled_at IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS keys_banned ON petstore.keys (created_at, id, revoked_at, expires_at, disabled_at, banned_until)
  WHERE revoked_at IS NULL AND disabled_at IS NULL AND banned_until IS NOT NULL`,
  ],
  /** Each index of a filter ends in the id, by which pages are ordered. */
  audit: [
    "CREATE INDEX IF NOT EXISTS audit_by_target ON petstore.audit (target, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_operator ON petstore.audit (operator_id, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_operator_name ON petstore.audit (operator_name, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_action ON petstore.audit (action, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_operator_and_action ON petstore.audit (operator_id, action, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_operator_name_and_action ON petstore.audit (operator_name, action, id)",
    "CREATE INDEX IF NOT EXISTS audit_by_time ON petstore.audit (at, id)",
  ],
};
