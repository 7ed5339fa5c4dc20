import { setTimeout as pause } from "node:timers/promises";
import {
  type Action,
  type AuditFilter,
  type AuditLog,
  type Authored,
  type Change,
  entryOf,
  IMPORT_PAUSE,
  MAX_CLOCK_DIFFERENCE,
  type NewAuditEntry,
  type RecordedEntry,
} from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type NewEvent, newEvent, subjectOf } from "../../domain/changes.ts";
import {
  type AscendingPage,
  type EventStore,
  type EventsPage,
  type EventsText,
  type EventType,
  eventsText,
  FIRST_POSITION,
  type KeptEvents,
  type NewsListener,
  refuseExpired,
  type StoredEvent,
} from "../../domain/events.ts";
import { parseJsonText, toJson } from "../../domain/json.ts";
import { timestampOf } from "../../domain/time.ts";
import { insertRow, type Row, type Seek, type Sql, type Statement, type Transaction, type Write } from "./sql.ts";

/** The columns of a new event. */
export function eventRow({ at, type, resourceId, members }: NewEvent) {
  return { at, type, resource_id: resourceId, members };
}

/** What is known of an event before it has an id. */
export const EVENT_COLUMNS = "at, type, resource_id, members";
const COLUMNS = `id, ${EVENT_COLUMNS}`;
const INSERT_EVENT = `INSERT INTO petstore.events (${EVENT_COLUMNS})
  VALUES (${EVENT_COLUMNS.replace(/\w+/g, ":$&")})`;

/** Returns the statement that adds an event, for the transaction of its change, which has its subject locked. */
export function insertEvent(event: NewEvent): Write {
  return { text: INSERT_EVENT, values: eventRow(event) };
}

/** Returns the statement of a page. That of several types is merged from a page of each; a subject has few events. */
export function selectEvents({ limit, after, order = "asc", types, subject }: EventsPage, seek: Seek): Statement {
  const values = { limit, after, ...(subject !== undefined && { resourceId: subject.id }) };
  const chosen = subject === undefined ? types : subject.types.filter((type) => types?.includes(type) ?? true);
  const named = chosen?.map((type) => `'${type}'`) ?? [];
  const pageOf = (equal: Record<string, string>, condition = "") => {
    const { where, orderBy } = seek(equal, { [order === "asc" ? "above" : "below"]: ":after" }, order);
    return `SELECT ${COLUMNS} FROM petstore.events WHERE ${where}${condition} ORDER BY ${orderBy} LIMIT :limit`;
  };
  if (chosen === undefined) return { text: pageOf({}), values };
  if (subject !== undefined) {
    // A function in place of the column keeps the engines from walking all events of these types.
    return { text: pageOf({ resource_id: ":resourceId" }, ` AND lower(type) IN (${named.join(", ")})`), values };
  }
  const parts = named.map((type) => `SELECT * FROM (${pageOf({ type })}) AS page`);
  return { text: `${parts.join(" UNION ALL ")} ORDER BY id ${order} LIMIT :limit`, values };
}

/** The shortest pause between two looks for new events, in ms. */
export const LOOK_INTERVAL = 50;

/** The feed. `newest` is an id up to which a page that is read later finds each event that is ever added. */
export class SqlEvents implements EventStore {
  readonly #sql: Sql;
  readonly #interval: number;
  readonly #listeners = new Set<NewsListener>();
  #isLooking = false;
  /**
   * Up to this id this process has seen all events deleted. Reads begin behind it: while a transaction elsewhere is open, such as a
   * dump, PostgreSQL removes nothing that was deleted, and each read would go through all of it again.
   */
  #deleted = 0n;

  /** `interval`: the longest pause between two looks for new events, in ms. */
  constructor(sql: Sql, interval = LOOK_INTERVAL) {
    this.#sql = sql;
    this.#interval = interval;
  }

  list(page: EventsPage): Awaitable<StoredEvent[]> {
    return after(this.read(page), (rows) => rows.map(eventOfRow));
  }

  text(page: AscendingPage): Awaitable<EventsText | undefined> {
    return after(this.list(page), (found) => eventsText(found));
  }

  /** Reads the rows of a page, or those that `shape` makes of them, whose first one has the `id` of the first event. */
  protected read(page: EventsPage, shape = (text: string) => text): Awaitable<Row[]> {
    const { types, subject } = page;
    if (types !== undefined && subject?.types.some((type) => types.includes(type)) === false) return [];
    let { after: start } = page;
    if (start < this.#deleted) start = this.#deleted;
    const { text, values } = selectEvents({ ...page, after: start }, this.#sql.seek);
    return after(this.#sql.read(shape(text), values), (rows) => {
      // What follows directly shows that nothing in between was deleted. What expired is looked up after the page was read.
      if (page.order === "desc" || page.after === 0n || rows[0]?.id === page.after + 1n) return rows;
      return after(this.#hasExpired(page.after), (hasExpired) => (hasExpired ? refuseExpired() : rows));
    });
  }

  /** Whether events above a position were deleted, or it is of a state that the store was set back from. */
  #hasExpired(position: bigint): Awaitable<boolean> {
    const text = `SELECT (SELECT id FROM petstore.events WHERE id > :deleted ORDER BY id LIMIT 1) AS oldest,
      (SELECT max(before_id) FROM petstore.event_gaps WHERE after_id = :position) AS gap_end,
      (SELECT count(*) FROM petstore.event_gaps WHERE after_id < :position AND before_id > :position) AS gaps`;
    return after(this.#sql.read(text, { position, deleted: this.#deleted }), ([row]) => {
      const next = BigInt(String(row?.gap_end ?? position)) + 1n;
      return Number(row?.gaps) > 0 || next < BigInt(String(row?.oldest ?? next));
    });
  }

  oldest(): Awaitable<bigint | undefined> {
    const text = "SELECT id FROM petstore.events WHERE id > :deleted ORDER BY id LIMIT 1";
    return after(this.#sql.read(text, { deleted: this.#deleted }), ([row]) => row && idOf(row));
  }

  newest(): Awaitable<bigint> {
    const rows = this.#sql.read("SELECT id FROM petstore.events ORDER BY id DESC LIMIT 1");
    return after(rows, ([row]) => (row === undefined ? FIRST_POSITION : idOf(row)));
  }

  position(): Awaitable<bigint> {
    return this.newest();
  }

  follow(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    if (!this.#isLooking) void this.#look();
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    let hasCommitted = false;
    let wake = () => {};
    const committed = () => {
      hasCommitted = true;
      wake();
    };
    this.#isLooking = true;
    this.#sql.afterCommit.add(committed);
    let known: bigint | undefined;
    for (;;) {
      // What was just committed may have to wait for what others have begun before.
      const isSoon = hasCommitted;
      hasCommitted = false;
      await pause(LOOK_INTERVAL, undefined, { ref: false });
      if (!isSoon && !hasCommitted) {
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await Promise.race([woken, pause(this.#interval - LOOK_INTERVAL, undefined, { ref: false })]);
      }
      if (this.#listeners.size === 0) break;
      known = await this.#reportSince(known).catch(() => undefined);
    }
    this.#sql.afterCommit.delete(committed);
    this.#isLooking = false;
  }

  /** Returns the id of the newest event, once all listeners know it. */
  async #reportSince(known: bigint | undefined): Promise<bigint> {
    const newest = await this.newest();
    if (newest !== known) await Promise.all([...this.#listeners].map((listener) => listener(newest, known)));
    return newest;
  }

  async prune({ since, most }: KeptEvents, batch: number): Promise<number> {
    const [last] = await this.#sql.all("SELECT id FROM petstore.events ORDER BY id DESC LIMIT 1");
    if (last === undefined) return 0;
    const newest = Number(last.id);
    const text = "SELECT id, at FROM petstore.events WHERE id > :deleted ORDER BY id LIMIT :batch";
    const oldest = await this.#sql.all(text, { deleted: this.#deleted, batch });
    const isKept = ({ id, at }: Row) => Number(id) >= newest || (Number(at) >= since && Number(id) > newest - most);
    const first = oldest.findIndex(isKept);
    const count = first === -1 ? oldest.length : first;
    const end = oldest[count - 1];
    if (end === undefined) return 0;
    const [begin] = oldest;
    await this.#sql.commit({
      text: "DELETE FROM petstore.events WHERE id >= :begin AND id <= :end",
      values: { begin: Number(begin?.id), end: Number(end.id) },
    });
    this.#deleted = idOf(end);
    return count;
  }
}

function idOf({ id }: Row): bigint {
  return BigInt(String(id));
}

function eventOfRow(row: Row): StoredEvent {
  const type = row.type as EventType;
  return {
    id: Number(row.id),
    at: Number(row.at),
    type,
    subject: subjectOf(type, String(row.resource_id)),
    text: `{"id":${row.id},"type":"${type}",${row.members}`,
  };
}

/** The audit log, which is append-only. */
export function sqlAuditLog(sql: Sql): AuditLog {
  /** An id below those of all entries that were made at `time` (Unix ms) or later. */
  const lastIdBefore = async (time: number) => {
    const text = "SELECT id FROM petstore.audit WHERE at < :time ORDER BY at DESC, id DESC LIMIT 1";
    return Number((await sql.first(text, { time: time - MAX_CLOCK_DIFFERENCE }))?.id ?? 0);
  };
  /** An id above those of all entries that were made before `time` (Unix ms). */
  const firstIdAfter = async (time: number) => {
    const text = "SELECT id FROM petstore.audit WHERE at > :time ORDER BY at, id LIMIT 1";
    return Number((await sql.first(text, { time: time + MAX_CLOCK_DIFFERENCE }))?.id ?? Number.MAX_SAFE_INTEGER);
  };
  return {
    async append(entry) {
      const kept = { text: "DELETE FROM petstore.imports WHERE id = :id", values: { id: entry.target ?? "" } };
      await sql.commit(insertEntry(entry), kept);
    },
    async list({ limit, before = Number.MAX_SAFE_INTEGER, from, to, ...filter }) {
      const { equal, others, values } = conditionsOf(filter);
      const below = to === undefined ? before : Math.min(before, await firstIdAfter(to));
      const above = from === undefined ? 0 : await lastIdBefore(from);
      const { where, orderBy } = sql.seek(equal, { above: ":above", below: ":below" }, "desc");
      if (from !== undefined) others.push("at >= :from");
      if (to !== undefined) others.push("at < :to");
      // No engine takes an index of these, nor expects them to leave so few entries that it would sort all of them.
      const compared = others.length === 0 ? "" : ` AND CASE WHEN ${others.join(" AND ")} THEN TRUE ELSE FALSE END`;
      const rows = await sql.all(
        `SELECT * FROM petstore.audit WHERE ${where}${compared} ORDER BY ${orderBy} LIMIT :limit`,
        { ...values, above, below, ...(from !== undefined && { from }), ...(to !== undefined && { to }), limit },
      );
      return rows.map(recordedEntry);
    },
    async keepImport(entry) {
      await sql.commit(keptImport(entry));
    },
    async endAbandonedImports(now) {
      await sql.transaction(function* () {
        const values = { until: now - IMPORT_PAUSE };
        for (const { entry } of yield {
          text: "DELETE FROM petstore.imports WHERE at < :until RETURNING entry",
          values,
        }) {
          const kept: NewAuditEntry = JSON.parse(String(entry));
          const after = Object.assign({}, kept.after, { endedAt: timestampOf(kept.at) });
          yield insertEntry({ ...kept, at: now, after });
        }
      });
    },
  };
}

/** Returns the statement that keeps the entry of an import, for the transaction of a batch. */
export function keptImport(entry: NewAuditEntry): Write {
  const { text, values } = insertRow("imports", { id: entry.target ?? "", at: entry.at, entry: toJson(entry) });
  return { text: `${text} ON CONFLICT (id) DO UPDATE SET at = excluded.at, entry = excluded.entry`, values };
}

/**
 * The conditions of a filter: `equal` are those of an index. Each set of them, with one action, is the beginning of an index
 * whose next column is the id, so that a page reads few rows: those of a target are few.
 */
function conditionsOf({ operator, action, target }: AuditFilter) {
  const author = operator?.startsWith("op_") ? "operator_id" : "operator_name";
  const names = action?.map((_, i) => `:action${i}`) ?? [];
  const filters = {
    ...(operator !== undefined && { [author]: ":operator" }),
    ...(names.length === 1 && { action: ":action0" }),
  };
  const isIndexed = target === undefined;
  const others = isIndexed ? [] : Object.entries(filters).map(([column, value]) => `${column} = ${value}`);
  if (names.length > 1) others.push(`action IN (${names.join(", ")})`);
  return {
    equal: isIndexed ? filters : { target: ":target" },
    others,
    values: {
      ...(target !== undefined && { target }),
      ...(operator !== undefined && { operator }),
      ...Object.fromEntries((action ?? []).map((one, i) => [`action${i}`, one])),
    },
  };
}

/** Writes what is recorded of a change, in its transaction: its event, and the entry of its author. */
export function* record<T extends { id: number | bigint; version: number }>(
  change: Change<T>,
  authored: Authored,
): Transaction<void> {
  yield insertEvent(newEvent(change, authored));
  if (authored.by !== undefined) yield insertEntry(entryOf(change, authored.by, authored.now));
}

/** Returns the statement that adds an entry, for the transaction of its change. */
export function insertEntry(entry: NewAuditEntry): Write {
  const { at, operator, action, target, before, after, requestId } = entry;
  return insertRow("audit", {
    at,
    operator_id: operator.id ?? null,
    operator_name: operator.name,
    action,
    target: target ?? null,
    before_json: before === undefined ? null : toJson(before),
    after_json: after === undefined ? null : toJson(after),
    request_id: requestId ?? null,
  });
}

function recordedEntry(row: Row): RecordedEntry {
  return {
    id: Number(row.id),
    at: Number(row.at),
    operator: { ...(row.operator_id !== null && { id: String(row.operator_id) }), name: String(row.operator_name) },
    action: row.action as Action,
    ...(row.target !== null && { target: String(row.target) }),
    ...(row.before_json !== null && { before: parseJsonText(String(row.before_json)) }),
    ...(row.after_json !== null && { after: parseJsonText(String(row.after_json)) }),
    ...(row.request_id !== null && { requestId: String(row.request_id) }),
  };
}
