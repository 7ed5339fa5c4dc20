import { z } from "zod";
import { alertJson, alertNotFound, alertStates, alertTypes } from "../../../../domain/alerts.ts";
import { reference } from "../../../../domain/schemas.ts";
import { authorOf } from "../../operation.ts";
import { count, pageLimit, timestamp, wholeNumber } from "../../parameters.ts";
import { json } from "../../request.ts";
import { olderId, pathPart, readPage } from "../fields.ts";
import { operation } from "./operation.ts";

const exampleTime = "2026-12-02T10:00:00.250Z";
/** Linters fail at examples with null. */
const exampleAlert = {
  id: 7,
  type: "alert.disk_full",
  subject: "disks/database",
  state: "ended",
  message: "The disk of the database has 1200 MB free of 50000 MB.",
  remedy: "Delete what is not needed, or enlarge the disk. Writes are refused once it is full.",
  raisedAt: exampleTime,
  endedAt: exampleTime,
  acknowledgedAt: exampleTime,
  acknowledgedBy: "Ada",
} as const;

const AlertType = z.enum(alertTypes).meta({ id: "AlertType", description: "What an alert is about." });
const AlertState = z.enum(alertStates).meta({
  id: "AlertState",
  description: "`acknowledged`: an operator has seen it, and it has not ended.",
});

export const Alert = z
  .strictObject({
    id: count,
    type: reference(AlertType),
    subject: z.string().meta({ description: "What it is about, such as `keys/` with an id." }),
    state: reference(AlertState),
    message: z.string().meta({ description: "What was observed when it was raised." }),
    remedy: z.string().meta({ description: "What to do." }),
    raisedAt: timestamp,
    endedAt: timestamp.nullable(),
    acknowledgedAt: timestamp.nullable(),
    acknowledgedBy: z.string().nullable().meta({ description: "The name of the operator." }),
  })
  .meta({ id: "Alert", description: "What operators should look at.", examples: [exampleAlert] });

const MAX_PAGE = 200;

export const Alerts = z.strictObject({ alerts: z.array(Alert).max(MAX_PAGE), next: olderId }).meta({
  id: "Alerts",
  description: "Alerts, newest first.",
  examples: [{ alerts: [exampleAlert], next: 7 }],
});

export const listAlerts = operation({
  id: "listAlerts",
  route: "GET /alerts",
  role: "viewer",
  summary: "List alerts",
  description: "Lists alerts, newest first: those that are open, and the last ones that have ended.",
  request: {
    query: z.object({
      limit: pageLimit(MAX_PAGE, 50),
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: "Only alerts older than this one." }),
      state: AlertState.optional().meta({ description: "Only alerts in this state." }),
    }),
  },
  answers: { 200: { description: "A page of alerts.", schema: Alerts } },
  handle: async ({ alerts }, { query: { limit, ...filter }, context }) => {
    const { items, next } = await readPage(limit, (most) => alerts.list({ ...filter, limit: most }));
    return json(context, 200, { alerts: items.map(alertJson), next });
  },
});

const AlertPath = z.object({
  alertId: pathPart(z.string().regex(/^[1-9]\d{0,14}$/), "alert_not_found")
    .transform(Number)
    .meta({
      type: "integer",
      format: "int64",
      minimum: 1,
      maximum: 10 ** 15 - 1,
      description: "The id, as the list has it.",
      examples: [7],
    }),
});

export const acknowledgeAlert = operation({
  id: "acknowledgeAlert",
  route: "POST /alerts/{alertId}/acknowledge",
  role: "admin",
  summary: "Acknowledge an alert",
  description:
    "Records that an operator has seen an alert. It stays open until its cause is gone. A second one changes nothing.",
  request: { params: AlertPath },
  answers: { 200: { description: "The alert.", schema: Alert } },
  refusals: ["alert_not_found"],
  handle: async ({ alerts, clock }, { params: { alertId }, context }) => {
    const entry = {
      ...authorOf(context),
      at: clock(),
      action: "alert.acknowledge",
      target: String(alertId),
    } as const;
    const alert = await alerts.acknowledge(alertId, entry);
    if (alert === undefined) throw alertNotFound(alertId);
    return json(context, 200, alertJson(alert));
  },
});
