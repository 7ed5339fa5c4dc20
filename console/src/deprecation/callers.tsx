import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Callers as CallersPage, DeprecatedOperation } from "../api/responses.ts";
import { SegmentedControl } from "../components/filters.tsx";
import { AsyncContent, EmptyState, Panel } from "../components/page.tsx";
import { Pager, usePagination } from "../components/table.tsx";
import { formatCount, pluralize } from "../format.ts";
import { CallerTable } from "./caller-table.tsx";

const PAGE_SIZE = 50;
const REFRESH_MS = 30_000;
const orders = [
  ["lastCalledAt", "Latest"],
  ["calls", "Most calls"],
] as const;

/** The keys that call a deprecated operation, page by page. */
export function Callers({ of: { operation, callers, calls } }: { of: DeprecatedOperation }) {
  const [sort, setSort] = useState<(typeof orders)[number][0]>("lastCalledAt");
  const pagination = usePagination(sort);
  const parameters = { operation, sort, limit: PAGE_SIZE, after: pagination.cursor };
  const fetched = useFetch<CallersPage>(withQuery("/deprecations/callers", parameters), REFRESH_MS);
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
