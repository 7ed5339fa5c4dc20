import type { StatementSync } from "node:sqlite";
import type { Activity } from "../../domain/keys/activity.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import { SqlCounters } from "../sql/counters.ts";
import { textOf } from "../sql/limit-state-text.ts";
import type { Database } from "./database.ts";

/** Limit states and activity of keys in a SQLite file. */
export class SqliteCounters extends SqlCounters {
  readonly #database: Database;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #use: StatementSync;
  readonly #ban: StatementSync;
  readonly #addCalls: StatementSync;

  constructor(database: Database) {
    super(database);
    this.#database = database;
    this.#set = database.prepare(
      "INSERT INTO counters (key_id, usage) VALUES (?, ?) ON CONFLICT DO UPDATE SET usage = excluded.usage",
    );
    this.#delete = database.prepare("DELETE FROM counters WHERE key_id = ?");
    this.#use = database.prepare(
      `INSERT INTO key_uses (key_id, last_used_at) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    );
    this.#ban = database.prepare("UPDATE keys SET banned_until = ? WHERE id = ? AND coalesce(pardoned_at, 0) < ?");
    this.#addCalls = database.prepare(
      `INSERT INTO deprecated_calls (key_id, operation, calls, last_called_at, user_agent) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, last_called_at = max(last_called_at, excluded.last_called_at),
       user_agent = iif(excluded.last_called_at < last_called_at, user_agent, coalesce(excluded.user_agent, user_agent))`,
    );
  }

  /** Saves everything in one transaction. */
  save(states: Map<string, LimitState | undefined>, activity: Activity): Promise<void> {
    return this.#database.writeUncached(() => {
      for (const [id, state] of states) {
        if (state === undefined) this.#delete.run(id);
        else this.#set.run(id, textOf(state));
      }
      for (const [id, at] of activity.lastUsed) this.#use.run(id, at);
      for (const [id, { since, until }] of activity.bans) this.#ban.run(until, id, since);
      for (const [operation, byKey] of activity.deprecated) {
        for (const [id, { calls, lastCalledAt, userAgent }] of byKey) {
          this.#addCalls.run(id, operation, calls, lastCalledAt, userAgent ?? null);
        }
      }
    });
  }
}
