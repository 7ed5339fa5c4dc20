import type { StatementSync } from "node:sqlite";
import type { Activity } from "../../domain/keys/activity.ts";
import type { LimitPage } from "../../domain/limits/limit-page.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import { type ChangedStates, LimitStates } from "../../domain/limits/limit-states.ts";
import { SqlCounters } from "../sql/counters.ts";
import type { Row } from "../sql/sql.ts";
import type { Database } from "./database.ts";
import { columnsOf, pageIn } from "./limit-page-row.ts";
import { rowError } from "./open-error.ts";

/** Activity of keys in a SQLite file, and their limit states, a page in each row. */
export class SqliteCounters extends SqlCounters {
  readonly #database: Database;
  readonly #set: StatementSync;
  readonly #use: StatementSync;
  readonly #ban: StatementSync;
  readonly #addCalls: StatementSync;

  constructor(database: Database) {
    super(database);
    this.#database = database;
    this.#set = database.prepare("REPLACE INTO limit_pages (number, key_ids, numbers, others) VALUES (?, ?, ?, ?)");
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

  /** @throws StartupError when a row is damaged */
  async load(): Promise<LimitStates> {
    const rows = this.#database.all("SELECT * FROM petstore.limit_pages ORDER BY number");
    return new LimitStates(rows.map((row) => [Number(row.number), this.#pageIn(row)]));
  }

  /** Reads all pages: no index has their keys. A page may have the key without a state. */
  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    const text = "SELECT * FROM petstore.limit_pages WHERE instr(key_ids, :keyId) > 0";
    const states = this.#database.all(text, { keyId }).flatMap((row) => [...this.#pageIn(row)]);
    return states.find(([id]) => id === keyId)?.[1];
  }

  /** Saves everything in one transaction. */
  save({ states, keyIds }: ChangedStates, activity: Activity): Promise<void> {
    return this.#database.writeUncached(() => {
      for (const [number, page] of states.pagesOf(keyIds)) this.#set.run(number, ...columnsOf(page));
      for (const [id, at] of activity.lastUsed) this.#use.run(id, at);
      for (const [id, { since, until }] of activity.bans) this.#ban.run(until, id, since);
      for (const [operation, byKey] of activity.deprecated) {
        for (const [id, { calls, lastCalledAt, userAgent }] of byKey) {
          this.#addCalls.run(id, operation, calls, lastCalledAt, userAgent ?? null);
        }
      }
    });
  }

  #pageIn(row: Row): LimitPage {
    try {
      return pageIn(row);
    } catch (error) {
      throw rowError(this.#database.file.path, `limit_pages ${row.number}`, error);
    }
  }
}
