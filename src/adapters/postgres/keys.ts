import { valuesOf as valuesOfEntry } from "../../domain/audit/columns.ts";
import type { Entry } from "../../domain/audit/entry.ts";
import { keyOf } from "../../domain/keys/columns.ts";
import type { Key, StoredSecret } from "../../domain/keys/key.ts";
import type { KeyStore, KeyWithSecrets } from "../../domain/keys/store.ts";
import { logged } from "./audit.ts";
import type { Database, Row, Statement, Value } from "./database.ts";

const BY_SECRET: Statement = {
  name: "petstore_key_by_secret",
  text: `SELECT k.*, s.hash, s.key_id, s.last_four, s.created_at AS secret_created_at, s.expires_at AS secret_expires_at
         FROM petstore.secrets s JOIN petstore.keys k ON k.id = s.key_id WHERE s.hash = $1`,
};
const BY_ID: Statement = { name: "petstore_key", text: "SELECT * FROM petstore.keys WHERE id = $1" };
const ALL: Statement = { name: "petstore_keys", text: "SELECT * FROM petstore.keys ORDER BY created_at, id" };
const ANY: Statement = { name: "petstore_any_key", text: "SELECT id FROM petstore.keys LIMIT 1" };
const SECRETS: Statement = {
  name: "petstore_secrets",
  text: `SELECT hash, key_id, last_four, created_at AS secret_created_at, expires_at AS secret_expires_at
         FROM petstore.secrets WHERE $1::text IS NULL OR key_id = $1 ORDER BY created_at DESC, hash`,
};
const ADD: Statement = {
  name: "petstore_add_key",
  text: `WITH added AS (
           INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at, expires_at, revoked_at, pardoned_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id
         ), secret AS (
           INSERT INTO petstore.secrets (hash, key_id, last_four, created_at, expires_at)
           SELECT $11, id, $12, $13, $14 FROM added
         ) ${logged("added", 15)}`,
};
/** Nothing where the key is not as $11 to $18 say. */
const REPLACE: Statement = {
  name: "petstore_replace_key",
  text: `WITH replaced AS (
           UPDATE petstore.keys SET name = $2, plan = $3, per_minute = $4, per_day = $5, scopes = $6, created_at = $7,
           expires_at = $8, revoked_at = $9, pardoned_at = $10
           WHERE id = $1 AND name = $11 AND plan = $12 AND per_minute = $13 AND per_day = $14 AND scopes = $15
           AND expires_at IS NOT DISTINCT FROM $16 AND revoked_at IS NOT DISTINCT FROM $17 AND pardoned_at IS NOT DISTINCT FROM $18
           RETURNING id
         ) ${logged("replaced", 19)} RETURNING id`,
};
const ADD_SECRET: Statement = {
  name: "petstore_add_secret",
  text: `WITH ended AS (
           UPDATE petstore.secrets SET expires_at = least(coalesce(expires_at, $6), $6) WHERE key_id = $2
         ), added AS (
           INSERT INTO petstore.secrets (hash, key_id, last_four, created_at, expires_at)
           VALUES ($1, $2, $3, $4, $5) RETURNING hash
         ) ${logged("added", 7)}`,
};

/** Keys in PostgreSQL. Every change is one statement, so that it happens whole or not at all. */
export class PostgresKeys implements KeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findBySecret(hash: string): Promise<{ key: Key; secret: StoredSecret } | undefined> {
    const [row] = await this.#database.query(BY_SECRET, [hash]);
    return row && { key: keyOf(row), secret: secretOf(row) };
  }

  async get(id: string): Promise<KeyWithSecrets | undefined> {
    const [row] = await this.#database.query(BY_ID, [id]);
    return row && { key: keyOf(row), secrets: await this.#secrets(id) };
  }

  async list(): Promise<KeyWithSecrets[]> {
    const keys = (await this.#database.query(ALL)).map(keyOf);
    const secrets = Map.groupBy(await this.#secrets(null), ({ keyId }) => keyId);
    return keys.map((key) => ({ key, secrets: secrets.get(key.id) ?? [] }));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#database.query(ANY)).length === 0;
  }

  async add(key: Key, secret: StoredSecret, entry: Entry): Promise<void> {
    const { hash, lastFour, createdAt, expiresAt = null } = secret;
    await this.#database.query(ADD, [...valuesOf(key), hash, lastFour, createdAt, expiresAt, ...valuesOfEntry(entry)]);
  }

  async replace(before: Key, after: Key, entry: Entry): Promise<boolean> {
    const [, name, plan, perMinute, perDay, scopes, , ...moments] = valuesOf(before);
    const known = [name, plan, perMinute, perDay, scopes].map((value) => value ?? null);
    const rows = await this.#database.query(REPLACE, [
      ...valuesOf(after),
      ...known,
      ...moments,
      ...valuesOfEntry(entry),
    ]);
    return rows.length > 0;
  }

  async addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void> {
    const { hash, keyId, lastFour, createdAt, expiresAt = null } = secret;
    const values = [hash, keyId, lastFour, createdAt, expiresAt, othersExpireAt];
    await this.#database.query(ADD_SECRET, [...values, ...valuesOfEntry(entry)]);
  }

  /** The secrets of one key, or of all, newest first. */
  async #secrets(keyId: string | null): Promise<StoredSecret[]> {
    return (await this.#database.query(SECRETS, [keyId])).map(secretOf);
  }
}

/** In the order of ADD and UPDATE. */
function valuesOf(key: Key): Value[] {
  const { id, name, plan, limits, createdAt, expiresAt = null, revokedAt = null, pardonedAt = null } = key;
  return [
    id,
    name,
    plan,
    limits.perMinute,
    limits.perDay,
    key.scopes.join(" "),
    createdAt,
    expiresAt,
    revokedAt,
    pardonedAt,
  ];
}

function secretOf(row: Row): StoredSecret {
  return {
    hash: String(row.hash),
    keyId: String(row.key_id),
    lastFour: String(row.last_four),
    createdAt: Number(row.secret_created_at),
    ...(row.secret_expires_at !== null && { expiresAt: Number(row.secret_expires_at) }),
  };
}
