import type {
  Caller,
  CallerOrder,
  CallersPage,
  CallTotal,
  Counters,
  DeprecatedCalls,
} from "../../domain/keys/store.ts";
import type { LimitStates } from "../../domain/limits/limit-states.ts";
import { isPlain, type LimitState } from "../../domain/limits/limits.ts";
import { ownedIn } from "./keys.ts";
import type { Row, Sql } from "./sql.ts";

const columnsOf: Record<CallerOrder, string[]> = {
  lastCalledAt: ["last_called_at", "key_id", "operation"],
  calls: ["calls", "key_id", "operation"],
  keyId: ["key_id", "operation"],
};

function callsOf({ calls, last_called_at, user_agent }: Row): DeprecatedCalls {
  return {
    calls: Number(calls),
    lastCalledAt: Number(last_called_at),
    ...(user_agent !== null && { userAgent: String(user_agent) }),
  };
}

/** Reads the activity of keys. Each engine keeps limit states, which are saved twice per second, in its fastest way. */
export abstract class SqlCounters<Engine extends Sql> implements Counters {
  protected readonly sql: Engine;

  constructor(sql: Engine) {
    this.sql = sql;
  }

  abstract load(): Promise<LimitStates>;

  abstract limitStateOf(keyId: string): Promise<LimitState | undefined>;

  abstract save(...args: Parameters<Counters["save"]>): Promise<void>;

  async deprecatedCallsOf(keyId: string): Promise<Map<string, DeprecatedCalls>> {
    const text = "SELECT * FROM petstore.deprecated_calls WHERE key_id = :keyId ORDER BY operation";
    const rows = await this.sql.all(text, { keyId });
    return new Map(rows.map((row) => [String(row.operation), callsOf(row)]));
  }

  /** Each order has an index. */
  async callers({ operation, order, limit, after }: CallersPage): Promise<Caller[]> {
    const columns = columnsOf[order];
    const position = after && {
      last_called_at: after.lastCalledAt,
      calls: after.calls,
      key_id: after.keyId,
      operation: after.operation,
    };
    const conditions = [
      ...(operation === undefined ? [] : ["d.operation = :only"]),
      ...(position ? [`(${columns.map((one) => `d.${one}`).join(", ")}) < (:${columns.join(", :")})`] : []),
    ];
    const rows = await this.sql.all(
      `SELECT d.*, k.name AS key_name, k.owner_name, k.owner_email FROM petstore.deprecated_calls d LEFT JOIN petstore.keys k ON k.id = d.key_id
       ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
       ORDER BY ${columns.map((one) => `d.${one} DESC`).join(", ")} LIMIT :limit`,
      {
        ...(operation !== undefined && { only: operation }),
        ...Object.fromEntries(Object.entries(position ?? {}).filter(([name]) => columns.includes(name))),
        limit,
      },
    );
    return rows.map((row) => ({
      ...callsOf(row),
      operation: String(row.operation),
      keyId: String(row.key_id),
      keyName: row.key_name === null ? "" : String(row.key_name),
      ...ownedIn(row),
    }));
  }

  async callTotal(operation: string): Promise<CallTotal> {
    const text = "SELECT callers, calls FROM petstore.deprecated_totals WHERE operation = :operation";
    const row = await this.sql.first(text, { operation });
    return { callers: Number(row?.callers ?? 0), calls: Number(row?.calls ?? 0) };
  }
}

/** The counts and the ends of both windows, the minute's first. */
type PlainWindows = [number, number, number, number];

/** A limit state as JSON. That of a key that was never refused is four numbers, a third of the space. */
export function limitStateText(state: LimitState): string {
  const { minute, day } = state;
  return isPlain(state) ? `[${minute.count},${minute.resetAt},${day.count},${day.resetAt}]` : JSON.stringify(state);
}

/** The limit state in parsed JSON of `textOf`. Only this service writes it. */
export function limitStateIn(stored: unknown): LimitState {
  const state = stored as LimitState | PlainWindows;
  if (!Array.isArray(state)) return state;
  const [minute, minuteResetAt, day, dayResetAt] = state;
  return { minute: { count: minute, resetAt: minuteResetAt }, day: { count: day, resetAt: dayResetAt } };
}
