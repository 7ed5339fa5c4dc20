import {
  type Delivery,
  type Endpoint,
  KEPT_DELIVERIES,
  LEASE,
  type NewDelivery,
  type WebhookStore,
  type WebhookType,
} from "../../domain/webhooks.ts";
import { insertEntry } from "./records.ts";
import { insertRow, type Row, type Sql, type Values, type Write } from "./sql.ts";

const DELETE_OLDER: Write["text"] = `DELETE FROM petstore.webhook_deliveries WHERE endpoint_id = :id AND id < (
  SELECT id FROM petstore.webhook_deliveries WHERE endpoint_id = :id ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_DELIVERIES - 1})`;

/** `time`: the expression of the server's clock in Unix ms, for leases; undefined where one process delivers all endpoints. */
export function sqlWebhooks(sql: Sql, time?: string): WebhookStore {
  const holder = (process: string) => (time === undefined ? "" : process);
  /** The condition of a change, which is made once. */
  const unchanged = "id = :id AND revision = :revision - 1";
  return {
    async list() {
      const rows = await sql.all("SELECT * FROM petstore.webhook_endpoints ORDER BY created_at, id");
      return rows.map(endpointOf);
    },
    async get(id) {
      const row = await sql.first("SELECT * FROM petstore.webhook_endpoints WHERE id = :id", { id });
      return row && endpointOf(row);
    },
    async add(endpoint, entry) {
      await sql.commit(insertRow("webhook_endpoints", columnsOf(endpoint)), insertEntry(entry));
    },
    replace(endpoint, entry) {
      const { id, created_at, ...columns } = columnsOf({ ...endpoint, revision: endpoint.revision + 1 });
      const text = `UPDATE petstore.webhook_endpoints SET ${assignmentsOf(columns)} WHERE ${unchanged}`;
      return sql.commit({ text, values: { id, ...columns }, mustChange: true }, insertEntry(entry));
    },
    delete(id, entry) {
      return sql.commit(
        { text: "DELETE FROM petstore.webhook_endpoints WHERE id = :id", values: { id }, mustChange: true },
        { text: "DELETE FROM petstore.webhook_deliveries WHERE endpoint_id = :id", values: { id } },
        insertEntry(entry),
      );
    },
    async deliveries(id) {
      const text = `SELECT * FROM petstore.webhook_deliveries WHERE endpoint_id = :id ORDER BY id DESC LIMIT ${KEPT_DELIVERIES}`;
      return (await sql.all(text, { id })).map(deliveryOf);
    },
    async keep(id, delivery, entry) {
      await sql.commit(...inserts(id, [delivery]), insertEntry(entry));
    },
    async claim(process) {
      const condition = "WHERE disabled_at IS NULL";
      const text =
        time === undefined
          ? `SELECT * FROM petstore.webhook_endpoints ${condition}`
          : `UPDATE petstore.webhook_endpoints SET lease_holder = :process, lease_ends_at = ${time} + ${LEASE}
             ${condition} AND (lease_holder = :process OR lease_ends_at <= ${time}) RETURNING *`;
      return (await sql.all(text, time === undefined ? {} : { process })).map(endpointOf);
    },
    async release(process) {
      const text = "UPDATE petstore.webhook_endpoints SET lease_ends_at = 0 WHERE lease_holder = :process";
      if (time !== undefined) await sql.commit({ text, values: { process } });
    },
    record(process, endpoint, deliveries) {
      const { id, revision, position, failures, next_attempt_at, disabled_at, disabled_by, disabled_reason } =
        columnsOf({
          ...endpoint,
          revision: endpoint.revision + 1,
        });
      const columns = { revision, position, failures, next_attempt_at, disabled_at, disabled_by, disabled_reason };
      const text = `UPDATE petstore.webhook_endpoints SET ${assignmentsOf(columns)} WHERE ${unchanged} AND lease_holder = :process`;
      const values = { id, ...columns, process: holder(process) };
      return sql.commit({ text, values, mustChange: true }, ...inserts(endpoint.id, deliveries));
    },
  };
}

function assignmentsOf(columns: Values): string {
  return Object.keys(columns)
    .map((name) => `${name} = :${name}`)
    .join(", ");
}

/** The statements that keep deliveries, as far as they are among the last ones, and delete older ones. */
function inserts(id: string, deliveries: NewDelivery[]): Write[] {
  const rows = deliveries.slice(-KEPT_DELIVERIES).map((delivery, i) => {
    const { eventId, type, at, attempt, milliseconds, status, error } = delivery;
    const values = [eventId ?? null, type, at, attempt, milliseconds, status ?? null, error ?? null];
    return Object.fromEntries(values.map((value, column) => [`v${i}_${column}`, value]));
  });
  if (rows.length === 0) return [];
  const tuples = rows.map((row) => `(:id, ${Object.keys(row).map((name) => `:${name}`)})`);
  const columns = "endpoint_id, event_id, type, at, attempt, milliseconds, status, error";
  return [
    {
      text: `INSERT INTO petstore.webhook_deliveries (${columns}) VALUES ${tuples}`,
      values: Object.assign({ id }, ...rows),
    },
    { text: DELETE_OLDER, values: { id } },
  ];
}

function columnsOf({
  id,
  url,
  types,
  description,
  secrets,
  createdAt,
  position,
  failures,
  revision,
  ...others
}: Endpoint) {
  const { nextAttemptAt, disabled } = others;
  return {
    id,
    url,
    types: JSON.stringify(types),
    description,
    secrets: JSON.stringify(secrets),
    created_at: createdAt,
    position,
    failures,
    next_attempt_at: nextAttemptAt ?? null,
    disabled_at: disabled?.at ?? null,
    disabled_by: disabled?.by ?? null,
    disabled_reason: disabled?.reason ?? null,
    revision,
  };
}

/** Only this service writes the tables, so the columns have valid values. */
function endpointOf(row: Row): Endpoint {
  return {
    id: String(row.id),
    url: String(row.url),
    types: JSON.parse(String(row.types)) as WebhookType[],
    description: String(row.description),
    secrets: JSON.parse(String(row.secrets)) as Endpoint["secrets"],
    createdAt: Number(row.created_at),
    position: Number(row.position),
    failures: Number(row.failures),
    revision: Number(row.revision),
    ...(row.next_attempt_at !== null && { nextAttemptAt: Number(row.next_attempt_at) }),
    ...(row.disabled_at !== null && {
      disabled: {
        at: Number(row.disabled_at),
        by: row.disabled_by as "operator" | "service",
        reason: String(row.disabled_reason),
      },
    }),
  };
}

function deliveryOf(row: Row): Delivery {
  return {
    id: Number(row.id),
    ...(row.event_id !== null && { eventId: Number(row.event_id) }),
    type: String(row.type),
    at: Number(row.at),
    attempt: Number(row.attempt),
    milliseconds: Number(row.milliseconds),
    ...(row.status === null ? { error: String(row.error) } : { status: Number(row.status) }),
  };
}
