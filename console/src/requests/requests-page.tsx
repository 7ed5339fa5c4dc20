import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { RequestPage } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { Pager, paginationIn } from "../components/table.tsx";
import { isBeingRead } from "../focus.ts";
import { formatCount, pluralize } from "../format.ts";
import { changeQuery, replaceQuery } from "../route.ts";
import { FindRequest } from "./find-request.tsx";
import { type Filters, noFilters, RequestFilters } from "./request-filters.tsx";
import { RequestTable } from "./request-table.tsx";

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** The request history, with filters that the address keeps, and a field to find one request. */
export function RequestsPage({ parameters }: { parameters: URLSearchParams }) {
  const { after: _, ...given } = Object.fromEntries(parameters);
  const filters: Filters = { ...noFilters, ...given };
  const pagination = paginationIn("requests", parameters);
  const query = withQuery("/requests", { limit: PAGE_SIZE, before: pagination.cursor, ...filters });
  const fetched = useFetch<RequestPage>(query, REFRESH_MS, isBeingRead);
  const { kept } = fetched.value ?? {};
  return (
    <Page title="Requests" description={kept && descriptionOf(kept)}>
      <FindRequest />
      <RequestFilters filters={filters} onFilter={(changed) => changeQuery("requests", changed)} />
      <AsyncContent fetched={fetched} lines={8}>
        {({ requests, next }) =>
          requests.length > 0 ? (
            <>
              <RequestTable requests={requests} />
              <Pager pagination={pagination} next={next} pageSize={PAGE_SIZE} count={requests.length} noun="request" />
            </>
          ) : parameters.size > 0 ? (
            <EmptyState icon="search" title="No matching requests">
              <Button onClick={() => replaceQuery("requests", {})}>Clear filters</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="requests" title="No requests yet" />
          )
        }
      </AsyncContent>
    </Page>
  );
}

function descriptionOf({ requests, hours }: RequestPage["kept"]): string {
  if (requests === 0) return "The request history is switched off: PETSTORE_REQUEST_HISTORY is 0.";
  return `The last ${formatCount(requests)} requests to the API of ${pluralize(hours, "hour")}, without bodies, headers, queries and addresses.`;
}
