import { useState } from "preact/hooks";
import { actionLabels, changesBetween, formatValue, isObject, nameOf } from "../../../src/domain/audit.ts";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Audit, AuditEntry, Event, Events } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { ExportDialog } from "../components/dialogs.tsx";
import { type Filter, Filters } from "../components/filters.tsx";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import { PAGE_SIZE, Pager, type Pagination, paginationIn, usePagination } from "../components/table.tsx";
import { Timestamp } from "../components/values.tsx";
import { isBeingRead } from "../focus.ts";
import {
  categoryHref,
  keyHref,
  listHref,
  orderHref,
  petHref,
  replaceQuery,
  requestHref,
  webhookHref,
} from "../route.ts";

/** What the author of an entry did: an order is approved, delivered or cancelled. */
function labelOf({ action, after }: AuditEntry): string {
  return action === "order.update" && isObject(after) ? `${after.status} the order` : actionLabels[action];
}

/** The filters of the audit log as parameters of the API; "" for none. Times are RFC 3339 in UTC. */
type AuditListFilters = { operator: string; action: string; target: string; from: string; to: string };
const noAuditFilters: AuditListFilters = { operator: "", action: "", target: "", from: "", to: "" };

const auditFilters: Filter[] = [
  { kind: "text", name: "operator", label: "Operator", placeholder: "Name or id" },
  { kind: "choice", name: "action", label: "Action", none: "All actions", options: Object.entries(actionLabels) },
  { kind: "text", name: "target", label: "Target", placeholder: "Id" },
  { kind: "time", name: "from", label: "From" },
  { kind: "time", name: "to", label: "To" },
];

/** Labels of the fields of a key, an operator or an import. */
const fieldLabels: Record<string, string> = {
  "owner.name": "owner",
  "owner.email": "owner's e-mail",
  "limits.perMinute": "per minute",
  "limits.perDay": "per day",
  expiresAt: "expires",
  revokedAt: "revoked",
  disabledAt: "disabled",
  bannedUntil: "banned until",
  pardonedAt: "unbanned",
  lastFour: "secret ends in",
  othersExpireAt: "old secrets expire",
  "simulation.answer": "simulated answer",
  "simulation.schedule.next": "next requests",
  "simulation.schedule.every": "one in",
  "simulation.schedule.percent": "percent",
  "simulation.schedule.seed": "seed",
  "simulation.startedAt": "started",
  "simulation.requests": "requests",
  isWhole: "complete",
  before: "older than",
  line: "last line",
  fromLine: "first line",
  categoryId: "category",
  petId: "pet",
  "pet.name": "pet's name",
  "pet.categoryId": "pet's category",
  endedAt: "ended",
  replaceStatus: "replace status",
  statusKept: "status kept",
};

/** The pages of what the fields of a pet or an order name. */
const hrefsOfFields: Record<string, (id: string) => string> = {
  categoryId: categoryHref,
  "pet.categoryId": categoryHref,
  petId: petHref,
};

/** The pages of what an action changes, by the first word of its name. */
const hrefsOfTargets: Record<string, (id: string) => string> = {
  key: keyHref,
  pet: petHref,
  category: categoryHref,
  order: orderHref,
  webhook: webhookHref,
};

/** An audit entry: operator, action, target, and the fields that changed. */
function AuditRow({ entry }: { entry: AuditEntry }) {
  const { operator, action, target, before, after } = entry;
  const hrefOf = hrefsOfTargets[action.slice(0, action.indexOf("."))];
  const name = action.startsWith("session.") ? "" : (nameOf(after) ?? nameOf(before) ?? target ?? "");
  return (
    <li>
      <p>
        <a
          class="author"
          href={listHref("audit", { operator: operator.id ?? operator.name })}
          title="Show all changes by this author"
        >
          {operator.name}
        </a>{" "}
        {labelOf(entry)}{" "}
        {hrefOf === undefined || target === null ? <span>{name}</span> : <a href={hrefOf(target)}>{name}</a>}
      </p>
      <p class="faint time">
        <Timestamp at={entry.at} />
        {entry.requestId !== null && (
          <>
            {" "}
            ·{" "}
            <code class="cut" title={`Request ${entry.requestId}`}>
              {entry.requestId}
            </code>
          </>
        )}
      </p>
      <Changes before={before} after={after} />
    </li>
  );
}

function FieldValue({ of: value, field }: { of: unknown; field: string }) {
  if (isTimestamp(value)) return <Timestamp at={value} />;
  const text = formatValue(value, field);
  const hrefOf = hrefsOfFields[field];
  return hrefOf === undefined ? <span>{text}</span> : <a href={hrefOf(text)}>{text}</a>;
}

/** Whether `value` is a timestamp as the API writes it. */
function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

/** The fields that differ between two states, each with its value before and after. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  const changed = changesBetween(before, after);
  if (changed.length === 0) return null;
  return (
    <dl class="changes">
      {changed.map(({ field, from, to }) => (
        <div key={field}>
          <dt>{fieldLabels[field] ?? field}</dt>
          <dd>
            {from !== undefined && (
              <del>
                <FieldValue of={from} field={field} />
              </del>
            )}
            {from !== undefined && to !== undefined && " → "}
            {to !== undefined && (
              <ins>
                <FieldValue of={to} field={field} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const REFRESH_MS = 10_000;

type AuditListProps = {
  title: string;
  pageSize: number;
  pagination: Pagination;
  filters: Partial<AuditListFilters>;
  onClear?: () => void;
};

/** The audit entries that match the filters, newest first. `onClear` clears the filters. */
function AuditList({ title, pageSize, pagination, filters, onClear }: AuditListProps) {
  const query = { limit: pageSize, before: pagination.cursor, ...filters };
  const fetched = useFetch<Audit>(withQuery("/audit", query), REFRESH_MS, isBeingRead);
  const canClear = onClear !== undefined && Object.values(filters).some((value) => value !== "");
  return (
    <Panel title={title}>
      <AsyncContent fetched={fetched} lines={6}>
        {({ entries, next }) =>
          entries.length === 0 ? (
            <EmptyState icon="audit" title={canClear ? "No matching changes" : "No changes yet"}>
              {canClear && <Button onClick={onClear}>Clear filters</Button>}
            </EmptyState>
          ) : (
            <>
              <ol class="audit">
                {entries.map((entry) => (
                  <AuditRow key={entry.id} entry={entry} />
                ))}
              </ol>
              <Pager pagination={pagination} next={next} pageSize={pageSize} count={entries.length} noun="change" />
            </>
          )
        }
      </AsyncContent>
    </Panel>
  );
}

/** The audit log, with filters that the address keeps. */
export function AuditPage({ parameters }: { parameters: URLSearchParams }) {
  const [isExporting, setExporting] = useState(false);
  const { after: _, ...given } = Object.fromEntries(parameters);
  const filters: AuditListFilters = { ...noAuditFilters, ...given };
  return (
    <Page
      title="Audit log"
      description="Every change made in the console, through the administration API or on the command line."
      actions={
        <Button icon="download" onClick={() => setExporting(true)}>
          Export
        </Button>
      }
    >
      <Filters page="audit" of={auditFilters} parameters={parameters} />
      <AuditList
        title="Changes"
        pageSize={PAGE_SIZE}
        pagination={paginationIn("audit", parameters)}
        filters={filters}
        onClear={() => replaceQuery("audit", {})}
      />
      {isExporting && (
        <ExportDialog
          title="Export the audit log"
          path="/audit/export"
          parameters={filters}
          onClose={() => setExporting(false)}
        />
      )}
    </Page>
  );
}

/** The changes that operators made to a key, pet, category or order. Their ids may be alike, their actions differ. */
export function ChangesByOperators({
  kind,
  id,
}: {
  kind: "key" | "pet" | "category" | "order" | "webhook";
  id: string;
}) {
  const actions = Object.keys(actionLabels).filter((action) => action.startsWith(`${kind}.`));
  const filters = { target: id, action: actions.join(",") };
  return <AuditList title="Changes by operators" pageSize={10} pagination={usePagination()} filters={filters} />;
}

/** An event of the feed: what became of its subject, by which request, and the fields that changed since the version before. */
function EventRow({
  event: { type, version, at, data, requestId },
  before,
}: {
  event: Event;
  before: object | undefined;
}) {
  const [, first = "", rest = ""] = /\.(.)(.*)/.exec(type) ?? [];
  const [verb, name] = [first.toUpperCase() + rest, nameOf(data)];
  return (
    <li>
      <p>
        {name === undefined ? verb : `${verb} ${name}`} <span class="faint">version {version}</span>
      </p>
      <p class="faint time">
        <Timestamp at={at} />
        {requestId !== undefined && (
          <>
            {" "}
            ·{" "}
            <a href={requestHref(requestId)} title={`Request ${requestId}`}>
              <code class="cut">{requestId}</code>
            </a>
          </>
        )}
      </p>
      <Changes before={before} after={data} />
    </li>
  );
}

const HISTORY_SIZE = 10;

/** What the feed has of a pet or an order, newest first, also once it is gone. `subject`: such as `pets/7`. */
export function History({ subject }: { subject: string }) {
  const pagination = usePagination();
  // One more than a page: the version before its last one, or the next page.
  const query = { subject, limit: HISTORY_SIZE + 1, before: pagination.cursor };
  const fetched = useFetch<Events>(withQuery("/events", query), REFRESH_MS, isBeingRead);
  return (
    <Panel title="History">
      <AsyncContent fetched={fetched} lines={6}>
        {({ events, keptSince }) => {
          const shown = events.slice(0, HISTORY_SIZE);
          const next = events.length > HISTORY_SIZE ? (shown.at(-1)?.id ?? null) : null;
          return (
            <>
              {shown.length === 0 && <p class="quiet">No change is kept.</p>}
              <ol class="audit">
                {shown.map((event, i) => (
                  <EventRow key={event.id} event={event} before={events[i + 1]?.data} />
                ))}
              </ol>
              <Pager pagination={pagination} next={next} pageSize={HISTORY_SIZE} count={shown.length} noun="event" />
              {keptSince !== null && (
                <p class="quiet">
                  Changes are kept since <Timestamp at={keptSince} />.
                </p>
              )}
            </>
          );
        }}
      </AsyncContent>
    </Panel>
  );
}
