import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { RequestPage } from "../api/responses.ts";
import { AsyncContent, Panel } from "../components/page.tsx";
import { RequestTable } from "../requests/request-table.tsx";
import { listHref } from "../route.ts";

const REFRESH_MS = 10_000;

/** The last requests with a key. */
export function KeyRequests({ id }: { id: string }) {
  const fetched = useFetch<RequestPage>(withQuery("/requests", { keyId: id, limit: 5 }), REFRESH_MS);
  return (
    <Panel title="Last requests" aside={<a href={listHref("requests", { keyId: id })}>View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ requests }) =>
          requests.length === 0 ? (
            <p class="quiet">The request history has none.</p>
          ) : (
            <RequestTable requests={requests} hasKeys={false} />
          )
        }
      </AsyncContent>
    </Panel>
  );
}
