import type { StatementSync } from "node:sqlite";
import type { Activity, DeprecatedCalls } from "../../domain/keys/activity.ts";
import { callsByOperation, callsOf } from "../../domain/keys/call-columns.ts";
import type { Counters } from "../../domain/keys/counters.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import { type Database, read } from "./database.ts";

/** The limits' counters and the keys' activity in a SQLite file: what one node keeps over a restart. */
export class SqliteCounters implements Counters {
  readonly #database: Database;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #use: StatementSync;
  readonly #addCalls: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#set = database.prepare(
      "INSERT INTO counters (key_id, usage) VALUES (?, ?) ON CONFLICT DO UPDATE SET usage = excluded.usage",
    );
    this.#delete = database.prepare("DELETE FROM counters WHERE key_id = ?");
    this.#use = database.prepare("UPDATE keys SET last_used_at = ? WHERE id = ?");
    this.#addCalls = database.prepare(
      `INSERT INTO deprecated_calls (key_id, operation, calls, last_called_at, user_agent) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, last_called_at = max(last_called_at, excluded.last_called_at),
       user_agent = iif(excluded.last_called_at < last_called_at, user_agent, coalesce(excluded.user_agent, user_agent))`,
    );
  }

  /** The usage of every key that was kept, by key id. */
  load(): Map<string, LimitState> {
    const rows = read(() => this.#database.prepare("SELECT key_id, usage FROM counters").all());
    return new Map(rows.map((row) => [String(row.key_id), usageOf(row.usage)]));
  }

  /** The usage that was kept of one key, at most a second old. */
  usageOf(keyId: string): LimitState | undefined {
    const row = read(() => this.#database.prepare("SELECT usage FROM counters WHERE key_id = ?").get(keyId));
    return row && usageOf(row.usage);
  }

  /** How often one key called each deprecated operation, by operation. */
  deprecatedCallsOf(keyId: string): Map<string, DeprecatedCalls> {
    const sql = "SELECT * FROM deprecated_calls WHERE key_id = ? ORDER BY operation";
    const rows = read(() => this.#database.prepare(sql).all(keyId));
    return new Map(rows.map((row) => [String(row.operation), callsOf(row)]));
  }

  deprecatedCalls(): Activity["deprecated"] {
    return callsByOperation(read(() => this.#database.prepare("SELECT * FROM deprecated_calls").all()));
  }

  /** Keeps usages (undefined: to be forgotten) and adds up activity, in one transaction. */
  save(usages: Map<string, LimitState | undefined>, activity: Activity): Promise<void> {
    return this.#database.write(() => {
      for (const [id, usage] of usages) {
        if (usage === undefined) this.#delete.run(id);
        else this.#set.run(id, JSON.stringify(usage));
      }
      for (const [id, at] of activity.lastUsed) this.#use.run(at, id);
      for (const [operation, byKey] of activity.deprecated) {
        for (const [id, { calls, lastCalledAt, userAgent }] of byKey) {
          this.#addCalls.run(id, operation, calls, lastCalledAt, userAgent ?? null);
        }
      }
    });
  }
}

/** The column holds what `save` wrote. */
function usageOf(column: unknown): LimitState {
  return JSON.parse(String(column)) as LimitState;
}
