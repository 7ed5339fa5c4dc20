import type { DeprecatedCalls } from "../../domain/keys/activity.ts";
import type { Caller, CallersPage, CallTotal } from "../../domain/keys/callers.ts";
import type { Counters } from "../../domain/keys/counters.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import { callersIn, callsOf, callTotalIn } from "./callers.ts";
import { limitStateIn } from "./limit-state-text.ts";
import type { Sql } from "./sql.ts";

/** Reads limit states and activity. Each engine implements `save`, which runs twice per second, in its fastest way. */
export abstract class SqlCounters implements Counters {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  abstract save(...args: Parameters<Counters["save"]>): Promise<void>;

  async load(): Promise<Map<string, LimitState>> {
    const rows = await this.#sql.all("SELECT key_id, usage FROM petstore.counters");
    return new Map(rows.map((row) => [String(row.key_id), limitStateIn(String(row.usage))]));
  }

  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    const row = await this.#sql.first("SELECT usage FROM petstore.counters WHERE key_id = :keyId", { keyId });
    return row && limitStateIn(String(row.usage));
  }

  async deprecatedCallsOf(keyId: string): Promise<Map<string, DeprecatedCalls>> {
    const text = "SELECT * FROM petstore.deprecated_calls WHERE key_id = :keyId ORDER BY operation";
    const rows = await this.#sql.all(text, { keyId });
    return new Map(rows.map((row) => [String(row.operation), callsOf(row)]));
  }

  callers(page: CallersPage): Promise<Caller[]> {
    return callersIn(this.#sql, page);
  }

  callTotal(operation: string): Promise<CallTotal> {
    return callTotalIn(this.#sql, operation);
  }
}
