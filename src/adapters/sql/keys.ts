import type { Entry } from "../../domain/audit/entry.ts";
import type { Key, StoredSecret } from "../../domain/keys/key.ts";
import type { KeysPage } from "../../domain/keys/listing.ts";
import type { CountedKeys, KeyCounts, KeyStore, KeyWithSecrets } from "../../domain/keys/store.ts";
import type { SimulationScript } from "../../domain/simulation/script.ts";
import { insertEntry } from "./audit.ts";
import { type Filtering, KeyListing } from "./key-listing.ts";
import { administeredKeyOf, columnsOf, secretOf } from "./key-rows.ts";
import type { Row, Sql, Values, Write } from "./sql.ts";

/** Keys. Each engine implements what requests need, `findBySecret` and `countSimulated`, in its fastest way. */
export abstract class SqlKeys implements KeyStore {
  readonly #sql: Sql;
  readonly #columns: string;
  readonly #listing: KeyListing;

  constructor(sql: Sql, filtering: Filtering) {
    this.#sql = sql;
    this.#columns = filtering.columns;
    this.#listing = new KeyListing(sql, filtering);
  }

  abstract findBySecret(hash: string): ReturnType<KeyStore["findBySecret"]>;
  abstract countSimulated(keyId: string, simulation: SimulationScript): Promise<number | undefined>;

  async get(id: string): Promise<KeyWithSecrets | undefined> {
    const row = await this.#sql.first(`SELECT ${this.#columns} FROM petstore.keys WHERE id = :id`, { id });
    if (row === undefined) return undefined;
    return withSecrets(row, await this.#secretsWhere("key_id = :id", { id }));
  }

  async list(page: KeysPage, now: number): Promise<KeyWithSecrets[]> {
    return await this.#withSecrets(await this.#listing.page(page, now));
  }

  async listCounted(page: KeysPage, now: number, most: number): Promise<CountedKeys> {
    const { rows, counting } = await this.#listing.countedPage(page, now, most);
    const [keys, count] = await Promise.all([this.#withSecrets(rows), counting()]);
    return { keys, count };
  }

  async #withSecrets(rows: Row[]): Promise<KeyWithSecrets[]> {
    if (rows.length === 0) return [];
    const ids = Object.fromEntries(rows.map(({ id }, i) => [`id${i}`, String(id)]));
    const secrets = await this.#secretsWhere(`key_id IN (${Object.keys(ids).map((name) => `:${name}`)})`, ids);
    const byKey = Map.groupBy(secrets, ({ keyId }) => keyId);
    return rows.map((row) => withSecrets(row, byKey.get(String(row.id)) ?? []));
  }

  counts(now: number): Promise<KeyCounts> {
    return this.#listing.counts(now);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#sql.first("SELECT id FROM petstore.keys LIMIT 1")) === undefined;
  }

  async add(key: Key, secret: StoredSecret, entry: Entry): Promise<void> {
    await this.#sql.commit(
      {
        text: `INSERT INTO petstore.keys
                 (id, name, owner_name, owner_email, owner_key, owner_name_key, note, search_text, plan, per_minute, per_day,
                 scopes, created_at, expires_at, revoked_at, disabled_at, pardoned_at, simulation, last_fours,
                 version)
               VALUES (:id, :name, :owner_name, :owner_email, :owner_key, :owner_name_key, :note, :search_text, :plan,
                 :per_minute, :per_day, :scopes, :created_at, :expires_at, :revoked_at, :disabled_at, :pardoned_at,
                 :simulation, :last_fours, 1)`,
        values: { ...columnsOf(key), last_fours: secret.lastFour.toLowerCase() },
      },
      insertSecret(secret),
      insertEntry(entry),
    );
  }

  replace(key: Key, version: number, entry: Entry): Promise<boolean> {
    return this.#sql.commit(
      {
        text: `UPDATE petstore.keys SET name = :name, owner_name = :owner_name, owner_email = :owner_email,
                 owner_key = :owner_key, owner_name_key = :owner_name_key, note = :note, search_text = :search_text,
                 plan = :plan, per_minute = :per_minute, per_day = :per_day, scopes = :scopes, created_at = :created_at, expires_at = :expires_at,
                 revoked_at = :revoked_at, disabled_at = :disabled_at, pardoned_at = :pardoned_at,
                 banned_until = CASE WHEN pardoned_at IS NOT DISTINCT FROM :pardoned_at THEN banned_until END,
                 simulation_requests = CASE WHEN simulation = :simulation THEN simulation_requests ELSE 0 END,
                 simulation = :simulation,
                 version = version + 1
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
      {
        text: `UPDATE petstore.keys SET version = version + 1, last_fours = last_fours || :added WHERE id = :keyId`,
        values: { keyId, added: ` ${secret.lastFour.toLowerCase()}` },
      },
      {
        text: `UPDATE petstore.secrets SET expires_at = CASE WHEN expires_at < :at THEN expires_at ELSE :at END
               WHERE key_id = :keyId`,
        values: { keyId, at: othersExpireAt },
      },
      insertSecret(secret),
      insertEntry(entry),
    );
  }

  endGrace(keyId: string, at: number, entry: Entry): Promise<boolean> {
    return this.#sql.commit(
      { text: "UPDATE petstore.keys SET version = version + 1 WHERE id = :keyId", values: { keyId } },
      {
        text: "UPDATE petstore.secrets SET expires_at = :at WHERE key_id = :keyId AND expires_at > :at",
        values: { keyId, at },
        mustChange: true,
      },
      insertEntry(entry),
    );
  }

  /** The newest comes first. */
  async #secretsWhere(condition: string, values: Values): Promise<StoredSecret[]> {
    const text = `SELECT * FROM petstore.secrets WHERE ${condition} ORDER BY created_at DESC, hash`;
    return (await this.#sql.all(text, values)).map(secretOf);
  }
}

function withSecrets(row: Row, secrets: StoredSecret[]): KeyWithSecrets {
  return { key: administeredKeyOf(row), secrets, version: Number(row.version) };
}

function insertSecret({ hash, keyId, lastFour, createdAt, expiresAt }: StoredSecret): Write {
  return {
    text: `INSERT INTO petstore.secrets (hash, key_id, last_four, created_at, expires_at)
           VALUES (:hash, :keyId, :lastFour, :createdAt, :expiresAt)`,
    values: { hash, keyId, lastFour, createdAt, expiresAt: expiresAt ?? null },
  };
}
