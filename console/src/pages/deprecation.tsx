import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Caller, Callers, DeprecatedOperation, Deprecations } from "../api/responses.ts";
import { SegmentedControl } from "../components/filters.tsx";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import { PAGE_SIZE, Pager, TableHead, usePagination } from "../components/table.tsx";
import { Meter, Timestamp } from "../components/values.tsx";
import { formatCount, formatDate, formatUtc, pluralize } from "../format.ts";
import { keyHref } from "../route.ts";
import { OwnerLink } from "./key-labels.tsx";

function CallerTable({ callers }: { callers: Caller[] }) {
  return (
    <table class="cards">
      <TableHead columns={["Key", { title: "Calls", isNumeric: true }, "Last call", "User agent"]} />
      <tbody>
        {callers.map(({ keyId, keyName, owner, calls, lastCalledAt, userAgent }) => (
          <tr key={keyId}>
            <th scope="row">
              <a href={keyHref(keyId)}>{keyName}</a>
              {owner !== null && (
                <span class="faint">
                  <OwnerLink of={owner} />
                </span>
              )}
            </th>
            <td data-label="Calls" class="number">
              {formatCount(calls)}
            </td>
            <td data-label="Last call">
              <Timestamp at={lastCalledAt} format="relative" />
            </td>
            <td data-label="User agent" class="long">
              {userAgent === null ? <span class="faint">not sent</span> : <code>{userAgent}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const REFRESH_MS = 30_000;
const orders = [
  ["lastCalledAt", "Latest"],
  ["calls", "Most calls"],
] as const;

/** The keys that call a deprecated operation, page by page. */
function CallersPanel({ of: { operation, callers, calls } }: { of: DeprecatedOperation }) {
  const [sort, setSort] = useState<(typeof orders)[number][0]>("lastCalledAt");
  const pagination = usePagination(sort);
  const parameters = { operation, sort, limit: PAGE_SIZE, after: pagination.cursor };
  const fetched = useFetch<Callers>(withQuery("/deprecations/callers", parameters), REFRESH_MS);
  if (callers === 0) {
    return (
      <Panel title="Callers">
        <EmptyState icon="check" title="No callers">
          <p>No key has called this operation.</p>
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel title="Callers" aside={<SegmentedControl label="Order" options={orders} value={sort} onChange={setSort} />}>
      <p class="quiet">
        {pluralize(callers, "key")}, {formatCount(calls)} calls.{" "}
        <a href={`/admin/v1${withQuery("/deprecations/callers/export", { operation })}`} download="callers.csv">
          Export as CSV
        </a>
      </p>
      <AsyncContent fetched={fetched} lines={4}>
        {(page) => (
          <>
            <CallerTable callers={page.callers} />
            <Pager
              pagination={pagination}
              next={page.next}
              pageSize={PAGE_SIZE}
              count={page.callers.length}
              total={callers}
              noun="key"
            />
          </>
        )}
      </AsyncContent>
    </Panel>
  );
}

/** The time until an operation is removed, and its replacement. */
function Countdown({
  of: { operation, method, path, deprecatedAt, removedAt, daysLeft, replacement },
}: {
  of: DeprecatedOperation;
}) {
  const from = Date.parse(deprecatedAt);
  const to = Date.parse(removedAt);
  const elapsed = Math.min(Math.max(0, Date.now() - from), to - from);
  return (
    <section class="panel countdown" aria-label={`Removal of ${operation}`}>
      <div class="left">
        <strong>{formatCount(Math.max(0, daysLeft))}</strong>
        <span>{daysLeft === 1 ? "day left" : "days left"}</span>
      </div>
      <div class="what">
        <h2>
          <code>
            {method} {path}
          </code>
        </h2>
        <p>
          Use <code>{replacement}</code> instead. {daysLeft <= 0 && "The operation is removed and returns 410."}
        </p>
        <Meter label="Elapsed part of the deprecation period" value={elapsed} max={to - from} tone="accent" />
        <p class="dates faint">
          <span>
            Deprecated{" "}
            <time dateTime={deprecatedAt} title={formatUtc(new Date(from))}>
              {formatDate(new Date(from))}
            </time>
          </span>
          <span>
            Removed{" "}
            <time dateTime={removedAt} title={formatUtc(new Date(to))}>
              {formatDate(new Date(to))}
            </time>
          </span>
        </p>
      </div>
    </section>
  );
}

/** The deprecated operations, and the keys that still call them. */
export function DeprecationPage() {
  const fetched = useFetch<Deprecations>("/deprecations", 30_000);
  return (
    <Page title="Deprecation" description="Operations that will be removed, and the keys that still call them.">
      <AsyncContent fetched={fetched} lines={6}>
        {({ operations }) =>
          operations.length === 0 ? (
            <EmptyState icon="deprecation" title="Nothing is deprecated" />
          ) : (
            operations.map((operation) => <Deprecation key={operation.operation} of={operation} />)
          )
        }
      </AsyncContent>
    </Page>
  );
}

function Deprecation({ of: operation }: { of: DeprecatedOperation }) {
  return (
    <>
      <Countdown of={operation} />
      <CallersPanel of={operation} />
    </>
  );
}
