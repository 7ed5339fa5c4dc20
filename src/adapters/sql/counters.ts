import type { DeprecatedCalls } from "../../domain/keys/activity.ts";
import type { Caller, CallersPage, CallTotal } from "../../domain/keys/callers.ts";
import type { Counters } from "../../domain/keys/counters.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import type { LimitStates } from "../../domain/limits/limit-states.ts";
import { callersIn, callsOf, callTotalIn } from "./callers.ts";
import type { Sql } from "./sql.ts";

/** Reads the activity of keys. Each engine keeps limit states, which are saved twice per second, in its fastest way. */
export abstract class SqlCounters implements Counters {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  abstract load(): Promise<LimitStates>;

  abstract limitStateOf(keyId: string): Promise<LimitState | undefined>;

  abstract save(...args: Parameters<Counters["save"]>): Promise<void>;

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
