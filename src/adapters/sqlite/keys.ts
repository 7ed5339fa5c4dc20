import type { StatementSync } from "node:sqlite";
import type { Entry } from "../../domain/audit/entry.ts";
import { keyOf } from "../../domain/keys/columns.ts";
import type { Key, StoredSecret } from "../../domain/keys/key.ts";
import type { KeyStore, KeyWithSecrets } from "../../domain/keys/store.ts";
import { insertEntry } from "./audit.ts";
import { type Database, read } from "./database.ts";

/** Keys in a SQLite file. */
export class SqliteKeys implements KeyStore {
  readonly #database: Database;
  readonly #secretByHash: StatementSync;
  readonly #keyById: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#secretByHash = database.prepare("SELECT * FROM secrets WHERE hash = ?");
    this.#keyById = database.prepare("SELECT * FROM keys WHERE id = ?");
  }

  findBySecret(hash: string): { key: Key; secret: StoredSecret } | undefined {
    return read(() => {
      const secret = this.#secretByHash.get(hash);
      const key = secret && this.#keyById.get(String(secret.key_id));
      return secret && key && { key: keyOf(key), secret: secretOf(secret) };
    });
  }

  get(id: string): KeyWithSecrets | undefined {
    const row = read(() => this.#keyById.get(id));
    return row && { key: keyOf(row), secrets: this.#secretsOf(id) };
  }

  list(): KeyWithSecrets[] {
    const rows = read(() => this.#database.prepare("SELECT * FROM keys ORDER BY created_at, id").all());
    const sql = "SELECT * FROM secrets ORDER BY created_at DESC, hash";
    const secrets = Map.groupBy(read(() => this.#database.prepare(sql).all()).map(secretOf), ({ keyId }) => keyId);
    return rows.map(keyOf).map((key) => ({ key, secrets: secrets.get(key.id) ?? [] }));
  }

  isEmpty(): boolean {
    return read(() => this.#database.prepare("SELECT 1 FROM keys LIMIT 1").get()) === undefined;
  }

  add(key: Key, secret: StoredSecret, entry: Entry): Promise<void> {
    return this.#database.write(() => {
      this.#run(
        `INSERT INTO keys (id, name, plan, per_minute, per_day, scopes, created_at, expires_at, revoked_at, last_used_at, pardoned_at)
         VALUES (:id, :name, :plan, :per_minute, :per_day, :scopes, :created_at, :expires_at, :revoked_at, NULL, :pardoned_at)`,
        columnsOf(key),
      );
      this.#insertSecret(secret);
      insertEntry(this.#database, entry);
    });
  }

  replace(before: Key, after: Key, entry: Entry): Promise<boolean> {
    return this.#database.write(() => {
      const row = this.#keyById.get(before.id);
      if (row === undefined || !isSame(columnsOf(keyOf(row)), columnsOf(before))) return false;
      this.#run(
        `UPDATE keys SET name = :name, plan = :plan, per_minute = :per_minute, per_day = :per_day, scopes = :scopes,
         created_at = :created_at, expires_at = :expires_at, revoked_at = :revoked_at, pardoned_at = :pardoned_at WHERE id = :id`,
        columnsOf(after),
      );
      insertEntry(this.#database, entry);
      return true;
    });
  }

  addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void> {
    return this.#database.write(() => {
      this.#run("UPDATE secrets SET expires_at = min(coalesce(expires_at, :at), :at) WHERE key_id = :key", {
        at: othersExpireAt,
        key: secret.keyId,
      });
      this.#insertSecret(secret);
      insertEntry(this.#database, entry);
    });
  }

  #secretsOf(keyId: string): StoredSecret[] {
    const sql = "SELECT * FROM secrets WHERE key_id = ? ORDER BY created_at DESC, hash";
    return read(() => this.#database.prepare(sql).all(keyId)).map(secretOf);
  }

  #insertSecret({ hash, keyId, lastFour, createdAt, expiresAt }: StoredSecret): void {
    const sql = "INSERT INTO secrets (hash, key_id, last_four, created_at, expires_at) VALUES (?, ?, ?, ?, ?)";
    this.#database.prepare(sql).run(hash, keyId, lastFour, createdAt, expiresAt ?? null);
  }

  #run(sql: string, values: Columns): void {
    this.#database.prepare(sql).run(values);
  }
}

type Row = NonNullable<ReturnType<StatementSync["get"]>>;

type Columns = Record<string, string | number | null>;

function isSame(one: Columns, other: Columns): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === value);
}

function columnsOf(key: Key): Columns {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    per_minute: key.limits.perMinute,
    per_day: key.limits.perDay,
    scopes: key.scopes.join(" "),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    pardoned_at: key.pardonedAt ?? null,
  };
}

function secretOf(row: Row): StoredSecret {
  return {
    hash: String(row.hash),
    keyId: String(row.key_id),
    lastFour: String(row.last_four),
    createdAt: Number(row.created_at),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
  };
}
