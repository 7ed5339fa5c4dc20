import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Audit } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Panel } from "../components/page.tsx";
import { Pager, type Pagination } from "../components/table.tsx";
import { isBeingRead } from "../focus.ts";
import type { Filters } from "./audit-filters.tsx";
import { AuditRow } from "./audit-row.tsx";

const REFRESH_MS = 10_000;

type AuditListProps = {
  title: string;
  pageSize: number;
  pagination: Pagination;
  filters: Partial<Filters>;
  onClear?: () => void;
};

/** The audit entries that match the filters, newest first. `onClear` clears the filters. */
export function AuditList({ title, pageSize, pagination, filters, onClear }: AuditListProps) {
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
