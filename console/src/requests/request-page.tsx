import { ApiError } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Requests } from "../api/responses.ts";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { FindRequest } from "./find-request.tsx";
import { RequestDetails } from "./request-details.tsx";

/** What a request did, by its id. A client may have sent the id more than once. */
export function RequestPage({ requestId }: { requestId: string }) {
  const fetched = useFetch<Requests>(`/requests/${encodeURIComponent(requestId)}`);
  const { error } = fetched;
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <Page
      title="Request"
      description={
        <>
          <a href="#/requests">Requests</a> / <code>{requestId}</code>
        </>
      }
    >
      <FindRequest />
      {isUnknown ? (
        <EmptyState icon="search" title="Request not found">
          <p>
            No request with the id <code>{requestId}</code> is in the request history. It keeps requests for a limited
            time, and <a href="#/requests">the latest requests</a> begin the list.
          </p>
        </EmptyState>
      ) : (
        <AsyncContent fetched={fetched} lines={8}>
          {({ requests }) => requests.map((request) => <RequestDetails key={request.id} of={request} />)}
        </AsyncContent>
      )}
    </Page>
  );
}
