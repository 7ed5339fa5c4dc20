/** Operators and their sessions, the audit log, and the User-Agent of calls of deprecated operations. */
export const administration = [
  `CREATE TABLE IF NOT EXISTS petstore.operators (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'admin')),
    token_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  "CREATE INDEX IF NOT EXISTS operators_by_token ON petstore.operators (token_hash)",
  `CREATE TABLE IF NOT EXISTS petstore.sessions (
    hash TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS sessions_by_operator ON petstore.sessions (operator_id)",
  "CREATE SEQUENCE IF NOT EXISTS petstore.audit_ids MINVALUE 1 MAXVALUE 9007199254740991",
  `CREATE TABLE IF NOT EXISTS petstore.audit (
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
  "CREATE INDEX IF NOT EXISTS audit_by_target ON petstore.audit (target, id)",
  "ALTER TABLE petstore.deprecated_calls ADD COLUMN IF NOT EXISTS user_agent TEXT",
];
