import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { ExportDialog } from "../components/dialogs.tsx";
import { Page } from "../components/page.tsx";
import { paginationIn } from "../components/table.tsx";
import { changeQuery, replaceQuery } from "../route.ts";
import { AuditFilters, type Filters, noFilters } from "./audit-filters.tsx";
import { AuditList } from "./audit-list.tsx";

const PAGE_SIZE = 50;

/** The audit log, with filters that the address keeps. */
export function AuditPage({ parameters }: { parameters: URLSearchParams }) {
  const [isExporting, setExporting] = useState(false);
  const { after: _, ...given } = Object.fromEntries(parameters);
  const filters: Filters = { ...noFilters, ...given };
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
      <AuditFilters filters={filters} onFilter={(changed) => changeQuery("audit", changed)} />
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
