import type { StatementSync } from "node:sqlite";
import type { Activity } from "../../domain/keys/store.ts";
import { type ChangedStates, LimitPage, LimitStates } from "../../domain/limits/limit-states.ts";
import type { LimitState } from "../../domain/limits/limits.ts";
import { limitStateIn, SqlCounters } from "../sql/counters.ts";
import type { Row } from "../sql/sql.ts";
import type { Database } from "./database.ts";
import { rowError } from "./errors.ts";

/** How many keys share a row: their numbers take nearly all of a page of the file. Another size needs a migration. */
const KEYS_PER_PAGE = 250;
/** The bytes of the numbers of a row. */
export const PAGE_BYTES = new LimitPage(KEYS_PER_PAGE).numbers.byteLength;

/**
 * The columns of a row of `limit_windows` after its number. The numbers are bytes as the processor has them: text would take
 * five times as long.
 */
function windowColumns({ numbers, others }: LimitPage): [numbers: Uint8Array, others: string | null] {
  const text = others.size === 0 ? null : JSON.stringify(Object.fromEntries(others));
  return [new Uint8Array(numbers.buffer), text];
}

/** The page of a row of `limit_windows`, with the `key_ids` of `limit_keys`. @throws when the row is damaged */
function pageIn(row: Row): LimitPage {
  const page = new LimitPage(KEYS_PER_PAGE);
  const keyIds = String(row.key_ids).split(" ");
  for (const [place, id] of keyIds.entries()) page.assign(place, id);
  const bytes = row.numbers as Uint8Array;
  if (bytes.length !== PAGE_BYTES) throw new Error(`its numbers have ${bytes.length} bytes`);
  new Uint8Array(page.numbers.buffer).set(bytes);
  const others = Object.entries(JSON.parse(String(row.others ?? "{}")));
  for (const [id, state] of others) page.set(keyIds.indexOf(id), limitStateIn(state));
  return page;
}

/** The pages of limit states. Their keys, which rarely change, are rows of their own, so that a change writes less. */
const LIMIT_PAGES =
  "SELECT number, numbers, others, key_ids FROM petstore.limit_windows JOIN petstore.limit_keys USING (number)";

/** Activity of keys in a SQLite file, and their limit states, a page in each row. */
export class SqliteCounters extends SqlCounters<Database> {
  readonly #setWindows: StatementSync;
  readonly #setKeys: StatementSync;
  readonly #use: StatementSync;
  readonly #ban: StatementSync;
  readonly #addCalls: StatementSync;

  constructor(database: Database) {
    super(database);
    this.#setWindows = database.prepare("REPLACE INTO limit_windows (number, numbers, others) VALUES (?, ?, ?)");
    this.#setKeys = database.prepare(
      `INSERT INTO limit_keys (number, key_ids) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET key_ids = excluded.key_ids WHERE key_ids <> excluded.key_ids`,
    );
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
    const rows = this.sql.all(`${LIMIT_PAGES} ORDER BY number`);
    return new LimitStates(
      rows.map((row) => [Number(row.number), this.#pageIn(row)]),
      KEYS_PER_PAGE,
    );
  }

  /** Reads all pages: no index has their keys. A page may have the key without a state. */
  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    const rows = this.sql.all(`${LIMIT_PAGES} WHERE instr(key_ids, :keyId) > 0`, { keyId });
    const states = rows.flatMap((row) => [...this.#pageIn(row)]);
    return states.find(([id]) => id === keyId)?.[1];
  }

  /** Saves everything in one transaction. */
  save({ states, places }: ChangedStates, activity: Activity): Promise<void> {
    return this.sql.writeUncached(
      () => {
        for (const [number, page] of states.pagesOf(places)) {
          this.#setWindows.run(number, ...windowColumns(page));
          this.#setKeys.run(number, page.keyIds);
        }
        for (const [id, at] of activity.lastUsed) this.#use.run(id, at);
        for (const [id, { since, until }] of activity.bans) this.#ban.run(until, id, since);
        for (const [operation, byKey] of activity.deprecated) {
          for (const [id, { calls, lastCalledAt, userAgent }] of byKey) {
            this.#addCalls.run(id, operation, calls, lastCalledAt, userAgent ?? null);
          }
        }
      },
      { usesReserve: true },
    );
  }

  #pageIn(row: Row): LimitPage {
    try {
      return pageIn(row);
    } catch (error) {
      throw rowError(this.sql.file.path, `limit_windows ${row.number}`, error);
    }
  }
}
