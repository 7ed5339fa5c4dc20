import { call } from "../api/call.ts";
import { REFRESH_MS, useAction, useFetch } from "../api/hooks.ts";
import type { Alert, Alerts } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { type Filter, Filters } from "../components/filters.tsx";
import { AsyncContent, EmptyState, ErrorMessage, Page } from "../components/page.tsx";
import { PAGE_SIZE, Pager, paginationIn, TableHead } from "../components/table.tsx";
import { Badge, Timestamp, type Tone } from "../components/values.tsx";
import { announce } from "../focus.ts";
import { pluralize } from "../format.ts";
import { keyHref, webhookHref } from "../route.ts";
import { useIsAdmin } from "../session.tsx";

const titles: Record<Alert["type"], string> = {
  "alert.key_banned": "A key was banned",
  "alert.backup_failed": "A backup failed",
  "alert.file_damaged": "A file is damaged",
  "alert.disk_full": "A disk is nearly full",
  "alert.error_rate": "Many requests fail",
  "alert.webhook_disabled": "A webhook endpoint was disabled",
};

const tones: Record<Alert["state"], Tone> = { open: "bad", acknowledged: "warn", ended: "quiet" };

const filters: Filter[] = [
  {
    ...{ kind: "choice", name: "state", label: "State", none: "All states" },
    options: Object.keys(tones).map((state) => [state, state]),
  },
];

/** Says that alerts are open. Nothing while there are none. */
export function AlertNotice() {
  const { value } = useFetch<Alerts>("/alerts?state=open", 6 * REFRESH_MS);
  const open = value?.alerts ?? [];
  if (open.length === 0) return null;
  return (
    <p class="note" role="status">
      <a href="#/alerts?state=open">{pluralize(open.length, "open alert")}</a>:{" "}
      {[...new Set(open.map(({ type }) => titles[type]))].join(", ")}.
    </p>
  );
}

/** The page of what an alert is about; undefined if none is about it alone. */
function hrefOf({ type, subject }: Alert): string | undefined {
  const id = subject.slice(subject.indexOf("/") + 1);
  if (type === "alert.key_banned") return keyHref(id);
  if (type === "alert.webhook_disabled") return webhookHref(id);
  if (type === "alert.error_rate") return "#/requests?status=5xx";
  if (type === "alert.backup_failed" || subject.startsWith("backups/")) return "#/backups";
  return undefined;
}

export function AlertsPage({ parameters }: { parameters: URLSearchParams }) {
  const state = parameters.get("state") ?? "";
  const pagination = paginationIn("alerts", parameters);
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(state !== "" && { state }) });
  if (pagination.cursor !== undefined) query.set("before", pagination.cursor);
  const fetched = useFetch<Alerts>(`/alerts?${query}`, REFRESH_MS);
  const action = useAction();
  const isAdmin = useIsAdmin();
  const acknowledge = ({ id }: Alert) =>
    action.run(async () => {
      await call("POST", `/alerts/${id}/acknowledge`);
      announce("Acknowledged.");
      fetched.reload();
    });
  return (
    <Page title="Alerts" description="What operators should look at, newest first.">
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <Filters page="alerts" of={filters} parameters={parameters} />
      <AsyncContent fetched={fetched} lines={6}>
        {({ alerts, next }) =>
          alerts.length === 0 ? (
            <EmptyState icon="alerts" title={state === "" ? "There are no alerts" : `No alert is ${state}`}>
              <p>A ban, a failed backup, a damaged file, a full disk, many errors or a disabled webhook raise one.</p>
            </EmptyState>
          ) : (
            <>
              <AlertTable alerts={alerts} onAcknowledge={isAdmin ? acknowledge : undefined} />
              <Pager pagination={pagination} next={next} pageSize={PAGE_SIZE} count={alerts.length} noun="alert" />
            </>
          )
        }
      </AsyncContent>
    </Page>
  );
}

type AlertTableProps = {
  alerts: Alert[];
  /** Undefined for viewers. */
  onAcknowledge: ((alert: Alert) => void) | undefined;
};

function AlertTable({ alerts, onAcknowledge }: AlertTableProps) {
  return (
    <table class="cards">
      <TableHead columns={["Alert", "State", "Raised", { title: "Actions", isHidden: true }]} />
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.id}>
            <th scope="row">
              <AlertText of={alert} />
            </th>
            <td class="status">
              <Badge tone={tones[alert.state]}>{alert.state}</Badge>
              {alert.acknowledgedBy !== null && <span class="faint"> by {alert.acknowledgedBy}</span>}
            </td>
            <td data-label="Raised">
              <Timestamp at={alert.raisedAt} />
              {alert.endedAt !== null && (
                <span class="faint">
                  <br />
                  ended <Timestamp at={alert.endedAt} format="relative" />
                </span>
              )}
            </td>
            <td class="row-actions">
              {onAcknowledge !== undefined && alert.state === "open" && (
                <Button onClick={() => onAcknowledge(alert)}>Acknowledge</Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What was observed, and as long as it lasts what to do. */
function AlertText({ of: alert }: { of: Alert }) {
  const href = hrefOf(alert);
  const title = titles[alert.type];
  return (
    <>
      {href === undefined ? title : <a href={href}>{title}</a>}
      <span class="faint">{alert.message}</span>
      {alert.state !== "ended" && <span class="faint">{withCommands(alert.remedy)}</span>}
    </>
  );
}

/** Commands stand between backticks. */
function withCommands(text: string) {
  return text.split("`").map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>));
}
