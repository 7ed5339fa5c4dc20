import { Page } from "../components/page.tsx";
import { AuditList } from "./audit-list.tsx";

export function AuditPage() {
  return (
    <Page
      title="Audit log"
      description="Every change made in the console, through the administration API or on the command line."
    >
      <AuditList />
    </Page>
  );
}
