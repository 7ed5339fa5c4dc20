import { Page } from "../parts/page.tsx";
import { AuditList } from "./audit-list.tsx";

/** Every change that was made, by whom, here and on the command line. */
export function AuditPage() {
  return (
    <Page
      title="Audit log"
      lead="Every change, by the console, by scripts and on the command line. Nothing here can be altered."
    >
      <AuditList />
    </Page>
  );
}
