import type { Entry } from "../../domain/audit/entry.ts";
import type { Key, StoredSecret } from "../../domain/keys/key.ts";
import type { KeyStore, KeyWithSecrets } from "../../domain/keys/store.ts";
import { insertEntry } from "./audit.ts";
import { columnsOf, keyOf, secretOf } from "./key-rows.ts";
import type { Row, Sql, Write } from "./sql.ts";

/** Keys. Each engine implements `findBySecret`, which every request needs, in its fastest way. */
export abstract class SqlKeys implements KeyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  abstract findBySecret(hash: string): ReturnType<KeyStore["findBySecret"]>;

  async get(id: string): Promise<KeyWithSecrets | undefined> {
    const row = await this.#sql.first("SELECT * FROM petstore.keys WHERE id = :id", { id });
    if (row === undefined) return undefined;
    const secrets = await this.#sql.all(
      "SELECT * FROM petstore.secrets WHERE key_id = :id ORDER BY created_at DESC, hash",
      { id },
    );
    return withSecrets(row, secrets.map(secretOf));
  }

  async list(): Promise<KeyWithSecrets[]> {
    const rows = await this.#sql.all("SELECT * FROM petstore.keys ORDER BY created_at, id");
    const secrets = await this.#sql.all("SELECT * FROM petstore.secrets ORDER BY created_at DESC, hash");
    const byKey = Map.groupBy(secrets.map(secretOf), ({ keyId }) => keyId);
    return rows.map((row) => withSecrets(row, byKey.get(String(row.id)) ?? []));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#sql.first("SELECT id FROM petstore.keys LIMIT 1")) === undefined;
  }

  async add(key: Key, secret: StoredSecret, entry: Entry): Promise<void> {
    await this.#sql.commit(
      {
        text: `INSERT INTO petstore.keys
                 (id, name, plan, per_minute, per_day, scopes, created_at, expires_at, revoked_at, pardoned_at, version)
               VALUES (:id, :name, :plan, :per_minute, :per_day, :scopes, :created_at, :expires_at, :revoked_at,
                 :pardoned_at, 1)`,
        values: columnsOf(key),
      },
      insertSecret(secret),
      insertEntry(entry),
    );
  }

  replace(key: Key, version: number, entry: Entry): Promise<boolean> {
    return this.#sql.commit(
      {
        text: `UPDATE petstore.keys SET name = :name, plan = :plan, per_minute = :per_minute, per_day = :per_day,
                 scopes = :scopes, created_at = :created_at, expires_at = :expires_at, revoked_at = :revoked_at,
                 pardoned_at = :pardoned_at, version = version + 1
               WHERE id = :id AND version = :version`,
        values: { ...columnsOf(key), version },
        mustChange: true,
      },
      insertEntry(entry),
    );
  }

  async addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void> {
    const { keyId } = secret;
    await this.#sql.commit(
      // This comes first: it locks the key, so that concurrent rotations see each other's secret.
      { text: "UPDATE petstore.keys SET version = version + 1 WHERE id = :keyId", values: { keyId } },
      {
        text: `UPDATE petstore.secrets SET expires_at = CASE WHEN expires_at < :at THEN expires_at ELSE :at END
               WHERE key_id = :keyId`,
        values: { keyId, at: othersExpireAt },
      },
      insertSecret(secret),
      insertEntry(entry),
    );
  }
}

function withSecrets(row: Row, secrets: StoredSecret[]): KeyWithSecrets {
  return { key: keyOf(row), secrets, version: Number(row.version) };
}

function insertSecret({ hash, keyId, lastFour, createdAt, expiresAt }: StoredSecret): Write {
  return {
    text: `INSERT INTO petstore.secrets (hash, key_id, last_four, created_at, expires_at)
           VALUES (:hash, :keyId, :lastFour, :createdAt, :expiresAt)`,
    values: { hash, keyId, lastFour, createdAt, expiresAt: expiresAt ?? null },
  };
}
