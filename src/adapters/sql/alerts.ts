import { type Alert, type AlertStore, type AlertType, KEPT_ALERTS } from "../../domain/alerts.ts";
import { insertEntry } from "./records.ts";
import { insertRow, type Row, type Sql } from "./sql.ts";

const NEWEST = "SELECT coalesce(max(position), 0) AS position FROM petstore.alerts";

const conditions = {
  open: "ended_at IS NULL AND acknowledged_at IS NULL",
  acknowledged: "ended_at IS NULL AND acknowledged_at IS NOT NULL",
  ended: "ended_at IS NOT NULL",
};

/** `position` is that of the last message about an alert; its id is that of the first. */
export function sqlAlerts(sql: Sql): AlertStore {
  const byId = (id: number) => ({ text: "SELECT * FROM petstore.alerts WHERE id = :id", values: { id } });
  return {
    async list({ limit, before = Number.MAX_SAFE_INTEGER, state }) {
      const condition = state === undefined ? "" : ` AND ${conditions[state]}`;
      const text = `SELECT * FROM petstore.alerts WHERE id < :before${condition} ORDER BY id DESC LIMIT :limit`;
      return (await sql.all(text, { before, limit })).map(alertOf);
    },
    async open() {
      return (await sql.all("SELECT * FROM petstore.alerts WHERE ended_at IS NULL ORDER BY id")).map(alertOf);
    },
    change: (raised, ended, now) =>
      sql.transaction(function* () {
        // One process at a time, so that no message gets a position below one that was read.
        yield { text: "SELECT name FROM petstore.deployment FOR UPDATE", values: {} };
        const [newest] = yield { text: NEWEST, values: {} };
        let position = Number(newest?.position);
        for (const { type, subject, message } of raised) {
          const columns = { id: position + 1, type, subject, message, raised_at: now, position: position + 1 };
          const { text, values } = insertRow("alerts", columns);
          const added = yield { text: `${text} ON CONFLICT DO NOTHING RETURNING id`, values };
          position += added.length;
        }
        for (const id of ended) {
          const changed = yield {
            text: `UPDATE petstore.alerts SET ended_at = :now, position = :position
                   WHERE id = :id AND ended_at IS NULL RETURNING id`,
            values: { id, now, position: position + 1 },
          };
          position += changed.length;
        }
        yield {
          text: "DELETE FROM petstore.alerts WHERE ended_at IS NOT NULL AND position <= :position",
          values: { position: position - KEPT_ALERTS },
        };
      }),
    acknowledge: (id, entry) =>
      sql.transaction(function* () {
        const changed = yield {
          text: `UPDATE petstore.alerts SET acknowledged_at = :at, acknowledged_by = :by
                 WHERE id = :id AND acknowledged_at IS NULL RETURNING id`,
          values: { id, at: entry.at, by: entry.operator.name },
        };
        if (changed.length > 0) yield insertEntry(entry);
        const [row] = yield byId(id);
        return row && alertOf(row);
      }),
    async messages({ after, limit }) {
      const text = "SELECT * FROM petstore.alerts WHERE position > :after ORDER BY position LIMIT :limit";
      return (await sql.all(text, { after, limit })).map((row) => {
        // Each attempt at a message has the same body, also once the alert was acknowledged.
        const { acknowledged, ...alert } = alertOf(row);
        const { type, subject, raisedAt, endedAt = raisedAt } = alert;
        return { id: Number(row.position), at: endedAt, type, subject, alert };
      });
    },
    async newest() {
      return BigInt(String((await sql.first(NEWEST))?.position));
    },
  };
}

/** Only this service writes the table, so the columns have valid values. */
function alertOf(row: Row): Alert {
  return {
    id: Number(row.id),
    type: row.type as AlertType,
    subject: String(row.subject),
    message: String(row.message),
    raisedAt: Number(row.raised_at),
    ...(row.ended_at !== null && { endedAt: Number(row.ended_at) }),
    ...(row.acknowledged_at !== null && {
      acknowledged: { at: Number(row.acknowledged_at), by: String(row.acknowledged_by) },
    }),
  };
}
