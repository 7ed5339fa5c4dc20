import type { NewAuditEntry } from "../../domain/audit.ts";
import { type Creation, IDEMPOTENCY_KEY_LIFETIME, type IdempotencyKey } from "../../domain/changes.ts";
import {
  type Key,
  type Owner,
  ownerKeyOf,
  ownerNameKeyOf,
  ownerText,
  type RequestKey,
  type RequestSecret,
  type Scope,
  type StoredSecret,
  scopes,
} from "../../domain/keys/key.ts";
import { lastPosition, type SimulationScript } from "../../domain/keys/simulation.ts";
import type {
  CountedKeys,
  KeyCounts,
  KeyStore,
  KeysPage,
  KeyWithSecrets,
  SecretChanges,
} from "../../domain/keys/store.ts";
import { type Limits, type Plan, plans } from "../../domain/limits/limits.ts";
import { LruMap } from "../../domain/lru-map.ts";
import { creationOf, takeKey } from "./idempotency-keys.ts";
import { type Filtering, KeyListing } from "./key-listing.ts";
import { insertEntry } from "./records.ts";
import { insertRow, type Row, type Sql, type Transaction, type Values, type Write } from "./sql.ts";

/** What a request needs of a key. Only this service writes the tables, so the columns have valid values. */
export function requestKeyOf(row: Row): RequestKey {
  const plan = row.plan as Plan;
  return {
    id: String(row.id),
    // Equal values are shared: many keys are in memory.
    plan: plans.find((each) => each === plan) ?? plan,
    limits: limitsIn(row),
    scopes: scopesIn(String(row.scopes)),
    lastUsedAt: Number(row.last_used_at ?? 0),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
    ...(row.disabled_at !== null && { disabledAt: Number(row.disabled_at) }),
    ...(row.pardoned_at !== null && { pardonedAt: Number(row.pardoned_at) }),
    ...(row.simulation !== null && { simulation: simulationOf(row) }),
  };
}

/** A key with what only operators need. */
function administeredKeyOf(row: Row): Key {
  const { lastUsedAt, ...key } = requestKeyOf(row);
  return {
    ...key,
    name: String(row.name),
    createdAt: Number(row.created_at),
    ...(row.last_used_at !== null && { lastUsedAt }),
    ...ownedIn(row),
    ...(row.note !== null && { note: String(row.note) }),
  };
}

export function ownedIn({ owner_name, owner_email }: Row): { owner?: Owner } {
  if (owner_name === null && owner_email === null) return {};
  return {
    owner: {
      ...(owner_name !== null && { name: String(owner_name) }),
      ...(owner_email !== null && { email: String(owner_email) }),
    },
  };
}

/** Many keys in memory have the same limits, and share them. */
const limitsByText = new LruMap<Limits>(1_000);

function limitsIn({ per_minute, per_day }: Row): Limits {
  const text = `${per_minute} ${per_day}`;
  const known = limitsByText.get(text) ?? { perMinute: Number(per_minute), perDay: Number(per_day) };
  limitsByText.set(text, known);
  return known;
}

/** There are few sets of scopes, which the keys share too. */
const scopesByText = new Map<string, Scope[]>();

function scopesIn(text: string): Scope[] {
  const known = scopesByText.get(text) ?? scopes.filter((scope) => text.split(" ").includes(scope));
  scopesByText.set(text, known);
  return known;
}

/** Only `storedSimulation` writes the column. The number of its requests has a column of its own. */
function simulationOf({ simulation, simulation_requests }: Row): SimulationScript {
  const stored = JSON.parse(String(simulation)) as Omit<SimulationScript, "requests">;
  return { ...stored, requests: Number(simulation_requests) };
}

/** A simulation as it is stored, and by which it is known. */
function storedSimulation({ answer, schedule, startedAt }: SimulationScript): string {
  return JSON.stringify({ answer, schedule, startedAt });
}

/** The columns of a key that its operators change. */
function columnsOf(key: Key): Values {
  const { owner } = key;
  return {
    id: key.id,
    name: key.name,
    owner_name: owner?.name ?? null,
    owner_email: owner?.email ?? null,
    owner_key: ownerKeyOf(owner),
    owner_name_key: owner?.name === undefined ? null : ownerNameKeyOf(owner.name),
    note: key.note ?? null,
    search_text: `${key.id} ${key.name}${owner ? ` ${ownerText(owner)}` : ""}`.toLowerCase(),
    plan: key.plan,
    per_minute: key.limits.perMinute,
    per_day: key.limits.perDay,
    scopes: key.scopes.join(" "),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    disabled_at: key.disabledAt ?? null,
    pardoned_at: key.pardonedAt ?? null,
    simulation: key.simulation === undefined ? null : storedSimulation(key.simulation),
  };
}

const NEVER_EXPIRES: RequestSecret = {};

/** What a request needs of a secret that expires at this moment (Unix ms), if at all. */
export function requestSecretOf(expiresAt: Row[string]): RequestSecret {
  return expiresAt === null ? NEVER_EXPIRES : { expiresAt: Number(expiresAt) };
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

  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const { names, values } = idsIn(ids);
    const rows = await this.#sql.all(`SELECT id, name FROM petstore.keys WHERE id IN (${names})`, values);
    return new Map(rows.map(({ id, name }) => [String(id), String(name)]));
  }

  async list(page: KeysPage, now: number): Promise<KeyWithSecrets[]> {
    return await this.#withSecrets(await this.#listing.page(page, now));
  }

  async listCounted(page: KeysPage, now: number): Promise<CountedKeys> {
    const { rows, counting } = await this.#listing.countedPage(page, now);
    const [keys, total] = await Promise.all([this.#withSecrets(rows), counting()]);
    return { keys, total };
  }

  async #withSecrets(rows: Row[]): Promise<KeyWithSecrets[]> {
    if (rows.length === 0) return [];
    const { names, values } = idsIn(rows.map(({ id }) => String(id)));
    const secrets = await this.#secretsWhere(`key_id IN (${names})`, values);
    const byKey = Map.groupBy(secrets, ({ keyId }) => keyId);
    return rows.map((row) => withSecrets(row, byKey.get(String(row.id)) ?? []));
  }

  counts(now: number): Promise<KeyCounts> {
    return this.#listing.counts(now);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#sql.first("SELECT id FROM petstore.keys LIMIT 1")) === undefined;
  }

  async add(key: Key, secret: StoredSecret, entry: NewAuditEntry): Promise<void> {
    await this.#sql.commit(
      insertRow("keys", { ...columnsOf(key), last_fours: secret.lastFour.toLowerCase(), version: 1 }),
      insertSecret(secret),
      insertEntry(entry),
    );
  }

  replace(key: Key, version: number, entry: NewAuditEntry, { added, ended, rotation }: SecretChanges = { ended: [] }) {
    const { id: _, ...columns } = columnsOf(key);
    return this.#sql.commit(
      {
        text: `UPDATE petstore.keys SET ${Object.keys(columns).map((column) => `${column} = :${column}`)},
                 banned_until = CASE WHEN pardoned_at IS NOT DISTINCT FROM :pardoned_at THEN banned_until END,
                 simulation_requests = CASE WHEN simulation = :simulation THEN simulation_requests ELSE 0 END,
                 last_fours = last_fours || :added, version = version + 1
               WHERE id = :id AND version = :version`,
        values: {
          id: key.id,
          ...columns,
          version,
          added: added === undefined ? "" : ` ${added.lastFour.toLowerCase()}`,
        },
        mustChange: true,
      },
      ...ended.map(endSecret),
      ...(added === undefined ? [] : [insertSecret(added)]),
      ...(rotation === undefined ? [] : [insertRequest(rotation)]),
      insertEntry(entry),
    );
  }

  async requestWith({ keyId, key, now }: IdempotencyKey): Promise<Creation | undefined> {
    const row = await this.#sql.first(
      `SELECT * FROM petstore.idempotency_keys
       WHERE key_id = :keyId AND idempotency_key = :key AND created_at > :expired`,
      { keyId, key, expired: now - IDEMPOTENCY_KEY_LIFETIME },
    );
    return row && creationOf(row);
  }

  /** The newest comes first; of one moment, the one that has no end. */
  async #secretsWhere(condition: string, values: Values): Promise<StoredSecret[]> {
    const text = `SELECT * FROM petstore.secrets WHERE ${condition} ORDER BY created_at DESC, expires_at IS NOT NULL, hash`;
    return (await this.#sql.all(text, values)).map(secretOf);
  }
}

/** The names of ids in a statement, separated by commas, and their values. */
function idsIn(ids: readonly string[]): { names: string; values: Values } {
  const values = Object.fromEntries(ids.map((id, i) => [`id${i}`, id]));
  return { names: ids.map((_, i) => `:id${i}`).join(), values };
}

function withSecrets(row: Row, secrets: StoredSecret[]): KeyWithSecrets {
  return { key: administeredKeyOf(row), secrets, version: Number(row.version) };
}

function insertSecret({ hash, keyId, lastFour, createdAt, expiresAt }: StoredSecret): Write {
  const dates = { created_at: createdAt, expires_at: expiresAt ?? null };
  return insertRow("secrets", { hash, key_id: keyId, last_four: lastFour, ...dates });
}

/** It creates no row with an id: its number takes the place of the ids. */
function insertRequest({ key, request, seed }: NonNullable<SecretChanges["rotation"]>): Write {
  return { ...takeKey(key, request, String(seed)), mustChange: true };
}

function endSecret({ hash, expiresAt }: StoredSecret): Write {
  const text = "UPDATE petstore.secrets SET expires_at = :expiresAt WHERE hash = :hash";
  return { text, values: { hash, expiresAt: expiresAt ?? null } };
}

export type SimulatedRequest = { keyId: string; simulation: SimulationScript };

/** One statement, which locks the row: no two requests have one position. The end of a simulation is a change of its key. */
const COUNT = `UPDATE petstore.keys SET simulation_requests = simulation_requests + :count,
    version = CASE WHEN simulation_requests + :count >= :last THEN version + 1 ELSE version END,
    simulation = CASE WHEN simulation_requests + :count >= :last THEN NULL ELSE simulation END
  WHERE id = :keyId AND simulation = :simulation RETURNING simulation_requests AS counted`;

/** Counts requests. Returns their positions in order; undefined for those after the end of their simulation. */
export function* countRequests(requests: readonly SimulatedRequest[]): Transaction<(number | undefined)[]> {
  const positions = new Map<SimulatedRequest, number | undefined>();
  const groups = Map.groupBy(requests, ({ keyId, simulation }) => `${keyId} ${storedSimulation(simulation)}`);
  // In the order of ids, so that no two transactions wait for each other.
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name) ?? [];
    const [request] = group;
    if (request === undefined) continue;
    const { keyId, simulation } = request;
    const last = lastPosition(simulation.schedule);
    const values = { keyId, simulation: storedSimulation(simulation), count: group.length, last: last ?? null };
    const [row] = yield { text: COUNT, values };
    if (row === undefined) continue;
    for (const [i, one] of group.entries()) {
      const position = Number(row.counted) - group.length + i + 1;
      if (position <= (last ?? Infinity)) positions.set(one, position);
    }
  }
  return requests.map((request) => positions.get(request));
}
