import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/fetched.ts";
import { usePagination } from "../api/pagination.ts";
import type { Audit } from "../api/responses.ts";
import { AsyncContent } from "../components/async-content.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Panel } from "../components/page.tsx";
import { Pager } from "../components/pager.tsx";
import { AuditRow } from "./audit-row.tsx";

const PAGE_SIZE = 50;
const KEY_PAGE_SIZE = 10;

/** Audit entries, newest first: all, or those of the key with the id `of`. */
export function AuditList({ of }: { of?: string }) {
  const pagination = usePagination<number>(of ?? "");
  const pageSize = of === undefined ? PAGE_SIZE : KEY_PAGE_SIZE;
  const fetched = useFetch<Audit>(
    withQuery("/audit", { limit: pageSize, before: pagination.cursor, target: of }),
    10_000,
  );
  return (
    <Panel title={of === undefined ? "Changes" : "Audit log"}>
      <AsyncContent fetched={fetched} lines={6}>
        {({ entries, next }) =>
          entries.length === 0 ? (
            <EmptyState icon="audit" title="No changes yet" />
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
