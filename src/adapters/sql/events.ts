import type { Authored, Change } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import {
  type EventStore,
  type EventsPage,
  type EventType,
  eventOf,
  FIRST_POSITION,
  type KeptEvents,
  type NewEvent,
  refuseExpired,
  type StoredEvent,
  subjectOf,
} from "../../domain/events.ts";
import { insertRow, type Row, type Seek, type Sql, type Statement, type Write } from "./sql.ts";

/** The columns of a new event. */
export function eventRow({ at, type, resourceId, version, data, requestId }: NewEvent) {
  return { at, type, resource_id: resourceId, version, data, request_id: requestId ?? null };
}

/** The event of a change. A change that names no time is made now. */
export function newEvent<T extends { id: number | bigint; version: number }>(
  change: Change<T>,
  authored: Authored,
): NewEvent {
  return eventOf(change, authored, authored.now ?? Date.now());
}

/** Returns the statement that adds an event, for the transaction of its change, which has its subject locked. */
export function insertEvent(event: NewEvent): Write {
  return insertRow("events", eventRow(event));
}

const COLUMNS = "id, at, type, resource_id, version, data, request_id";

/** Returns the statement of a page. That of several types is merged from a page of each; a subject has few events. */
function selectEvents({ limit, after, types, subject }: EventsPage, seek: Seek): Statement {
  const values = { limit, after, ...(subject !== undefined && { resourceId: subject.id }) };
  const chosen = subject === undefined ? types : subject.types.filter((type) => types?.includes(type) ?? true);
  const named = chosen?.map((type) => `'${type}'`) ?? [];
  const pageOf = (equal: Record<string, string>, condition = "") => {
    const { where, orderBy } = seek(equal, { above: ":after" }, "asc");
    return `SELECT ${COLUMNS} FROM petstore.events WHERE ${where}${condition} ORDER BY ${orderBy} LIMIT :limit`;
  };
  if (chosen === undefined) return { text: pageOf({}), values };
  if (subject !== undefined) {
    // A function in place of the column keeps the engines from walking all events of these types.
    return { text: pageOf({ resource_id: ":resourceId" }, ` AND lower(type) IN (${named.join(", ")})`), values };
  }
  const parts = named.map((type) => `SELECT * FROM (${pageOf({ type })}) AS page`);
  return { text: `${parts.join(" UNION ALL ")} ORDER BY id LIMIT :limit`, values };
}

/** The feed. `newest` is an id up to which a page that is read later finds each event that is ever added. */
export class SqlEvents implements EventStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  list(page: EventsPage): Awaitable<StoredEvent[]> {
    const { types, subject } = page;
    if (types !== undefined && subject?.types.some((type) => types.includes(type)) === false) return [];
    const { text, values } = selectEvents(page, this.#sql.seek);
    return after(this.#sql.read(text, values), (rows) => {
      const found = rows.map(eventOfRow);
      // What follows directly shows that nothing in between was deleted. The oldest event is looked up after the page was read.
      if (page.after === 0n || found[0]?.id === Number(page.after) + 1) return found;
      return after(this.oldest(), (oldest = 0n) => (page.after < oldest - 1n ? refuseExpired() : found));
    });
  }

  oldest(): Awaitable<bigint | undefined> {
    return after(this.#sql.read("SELECT id FROM petstore.events ORDER BY id LIMIT 1"), ([row]) => row && idOf(row));
  }

  newest(): Awaitable<bigint> {
    const rows = this.#sql.read("SELECT id FROM petstore.events ORDER BY id DESC LIMIT 1");
    return after(rows, ([row]) => (row === undefined ? FIRST_POSITION : idOf(row)));
  }

  position(): Awaitable<bigint> {
    return this.newest();
  }

  async prune({ since, most }: KeptEvents, batch: number): Promise<number> {
    const [last] = await this.#sql.all("SELECT id FROM petstore.events ORDER BY id DESC LIMIT 1");
    if (last === undefined) return 0;
    const newest = Number(last.id);
    const text = "SELECT id, at FROM petstore.events WHERE id < :newest ORDER BY id LIMIT :batch";
    const oldest = await this.#sql.all(text, { newest, batch });
    const isKept = ({ id, at }: Row) => Number(at) >= since && Number(id) > newest - most;
    const first = oldest.findIndex(isKept);
    const count = first === -1 ? oldest.length : first;
    const end = oldest[count - 1];
    if (end === undefined) return 0;
    await this.#sql.commit({ text: "DELETE FROM petstore.events WHERE id <= :end", values: { end: Number(end.id) } });
    return count;
  }
}

function idOf({ id }: Row): bigint {
  return BigInt(String(id));
}

function eventOfRow(row: Row): StoredEvent {
  const type = row.type as EventType;
  const resourceId = String(row.resource_id);
  return {
    id: Number(row.id),
    at: Number(row.at),
    type,
    subject: subjectOf(type, resourceId),
    version: Number(row.version),
    data: `{"id":${resourceId},${String(row.data).slice(1)}`,
    requestId: row.request_id === null ? undefined : String(row.request_id),
  };
}
