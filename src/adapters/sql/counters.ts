import { type Activity, addCalls, type DeprecatedCalls, noActivity } from "../../domain/keys/activity.ts";
import type { Counters } from "../../domain/keys/counters.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import type { Row, Sql } from "./sql.ts";

/** Reads limit states and activity. Each engine implements `save`, which runs twice per second, in its fastest way. */
export abstract class SqlCounters implements Counters {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  abstract save(...args: Parameters<Counters["save"]>): Promise<void>;

  async load(): Promise<Map<string, LimitState>> {
    const rows = await this.#sql.all("SELECT key_id, usage FROM petstore.counters");
    return new Map(rows.map((row) => [String(row.key_id), stateOf(row)]));
  }

  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    const row = await this.#sql.first("SELECT usage FROM petstore.counters WHERE key_id = :keyId", { keyId });
    return row && stateOf(row);
  }

  async deprecatedCallsOf(keyId: string): Promise<Map<string, DeprecatedCalls>> {
    const text = "SELECT * FROM petstore.deprecated_calls WHERE key_id = :keyId ORDER BY operation";
    const rows = await this.#sql.all(text, { keyId });
    return new Map(rows.map((row) => [String(row.operation), callsOf(row)]));
  }

  async deprecatedCalls(): Promise<Activity["deprecated"]> {
    const all = noActivity();
    for (const row of await this.#sql.all("SELECT * FROM petstore.deprecated_calls")) {
      addCalls(all, String(row.operation), String(row.key_id), callsOf(row));
    }
    return all.deprecated;
  }
}

/** Only `save` writes this column. */
function stateOf({ usage }: Row): LimitState {
  return JSON.parse(String(usage)) as LimitState;
}

function callsOf({ calls, last_called_at, user_agent }: Row): DeprecatedCalls {
  return {
    calls: Number(calls),
    lastCalledAt: Number(last_called_at),
    ...(user_agent !== null && { userAgent: String(user_agent) }),
  };
}
