import type { Activity } from "../../domain/keys/store.ts";
import { type ChangedStates, LimitStates } from "../../domain/limits/limit-states.ts";
import type { LimitState } from "../../domain/limits/limits.ts";
import { limitStateIn, limitStateText, SqlCounters } from "../sql/counters.ts";
import type { Database } from "./database.ts";

const SET = `INSERT INTO petstore.counters (key_id, usage) SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (key_id) DO UPDATE SET usage = excluded.usage`;
const REMOVE = "DELETE FROM petstore.counters WHERE key_id = ANY($1::text[])";
const USE = `UPDATE petstore.keys SET last_used_at = greatest(keys.last_used_at, used.at)
  FROM (SELECT * FROM unnest($1::text[], $2::bigint[]) AS used (id, at) ORDER BY id) AS used WHERE keys.id = used.id`;
const BAN = `UPDATE petstore.keys SET banned_until = ban.until
  FROM (SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS ban (id, since, until) ORDER BY id) AS ban
  WHERE keys.id = ban.id AND coalesce(keys.pardoned_at, 0) < ban.since`;
const ADD_CALLS = `INSERT INTO petstore.deprecated_calls AS existing
    (key_id, operation, calls, last_called_at, user_agent)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
  ON CONFLICT (key_id, operation) DO UPDATE SET calls = existing.calls + excluded.calls,
  last_called_at = greatest(existing.last_called_at, excluded.last_called_at),
  user_agent = CASE WHEN excluded.last_called_at < existing.last_called_at THEN existing.user_agent
    ELSE coalesce(excluded.user_agent, existing.user_agent) END`;

/** Activity of keys in PostgreSQL, and limit states of a single node without Redis. */
export class PostgresCounters extends SqlCounters<Database> {
  async load(): Promise<LimitStates> {
    const states = new LimitStates();
    for (const { key_id, usage } of await this.sql.all("SELECT key_id, usage FROM petstore.counters")) {
      states.set(String(key_id), limitStateIn(JSON.parse(String(usage))));
    }
    states.drain();
    return states;
  }

  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    const text = "SELECT usage FROM petstore.counters WHERE key_id = :keyId";
    const row = await this.sql.first(text, { keyId });
    return row && limitStateIn(JSON.parse(String(row.usage)));
  }

  /** The statement that adds calls comes last: if an earlier one fails, all are repeated, and no call is added twice. */
  async save({ states, places }: ChangedStates, { lastUsed, bans, deprecated }: Activity): Promise<void> {
    const changed = places.map((place) => states.idAt(place)).map((id) => ({ id, state: states.get(id) }));
    const kept = changed.flatMap(({ id, state }) => (state === undefined ? [] : [{ id, text: limitStateText(state) }]));
    const removed = changed.filter(({ state }) => state === undefined).map(({ id }) => id);
    const calls = [...deprecated].flatMap(([operation, byKey]) =>
      [...byKey].map(([id, its]) => ({ id, operation, ...its })),
    );
    if (kept.length > 0) {
      await this.sql.query(SET, [kept.map(({ id }) => id), kept.map(({ text }) => text)]);
    }
    if (removed.length > 0) await this.sql.query(REMOVE, [removed]);
    if (lastUsed.size > 0) await this.sql.query(USE, [[...lastUsed.keys()], [...lastUsed.values()]]);
    if (bans.size > 0) {
      const periods = [...bans.values()];
      await this.sql.query(BAN, [
        [...bans.keys()],
        periods.map(({ since }) => since),
        periods.map(({ until }) => until),
      ]);
    }
    if (calls.length > 0) {
      await this.sql.query(ADD_CALLS, [
        calls.map(({ id }) => id),
        calls.map(({ operation }) => operation),
        calls.map(({ calls }) => calls),
        calls.map(({ lastCalledAt }) => lastCalledAt),
        calls.map(({ userAgent }) => userAgent ?? null),
      ]);
    }
  }
}
