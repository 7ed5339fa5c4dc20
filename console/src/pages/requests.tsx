import { useState } from "preact/hooks";
import { publicErrors } from "../../../src/domain/errors.ts";
import { shareText } from "../../../src/domain/text.ts";
import { ApiError, withQuery } from "../api/call.ts";
import { REFRESH_MS, useFetch } from "../api/hooks.ts";
import type { PastRequest, RequestList, Requests, ServiceState } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { type Filter, Filters } from "../components/filters.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, EmptyState, Page, Panel } from "../components/page.tsx";
import { PAGE_SIZE, Pager, paginationIn, TableHead } from "../components/table.tsx";
import { Badge, Timestamp, type Tone } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { isBeingRead } from "../focus.ts";
import { formatCount, pluralize } from "../format.ts";
import { keyHref, listHref, replaceQuery, requestHref } from "../route.ts";

/** A field that takes a pasted request id, also with the name of its header, and shows what the request did. */
export function FindRequest() {
  const [text, setText] = useState("");
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const requestId = text.replace(/^\s*x-request-id:/i, "").trim();
    if (requestId !== "") location.assign(requestHref(requestId));
  };
  return (
    <search>
      <form class="filters find" onSubmit={find}>
        <label>
          What did my call do?
          <input
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder="Paste the X-Request-Id of its response"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <Button icon="search" kind="primary" type="submit">
          Find
        </Button>
      </form>
    </search>
  );
}

/** Classes of statuses, as the filter has them. */
const statusFilters = [
  ["2xx", "2xx"],
  ["4xx", "4xx"],
  ["429", "429"],
  ["5xx", "5xx"],
] as const;

function toneOfStatus(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** A duration in ms, such as `0.41 ms`. */
function formatRequestDuration(duration: number): string {
  return `${duration.toLocaleString("en", { maximumSignificantDigits: duration < 1 ? 2 : 3 })} ms`;
}

/** What one request did: who called what, and what the service answered. */
function RequestDetails({ of: request }: { of: PastRequest }) {
  const { method, path, operation, keyId, keyName, status, error, at, duration, simulated, limits } = request;
  return (
    <Panel title={`${method} ${path}`} aside={<Badge tone={toneOfStatus(status)}>{String(status)}</Badge>}>
      <DescriptionList>
        {error !== null && (
          <DescriptionItem term="Error">
            <ErrorMeaning of={error} />
          </DescriptionItem>
        )}
        <DescriptionItem term="Time">
          <Timestamp at={at} />
        </DescriptionItem>
        <DescriptionItem term="Duration">{formatRequestDuration(duration)}</DescriptionItem>
        <DescriptionItem term="Operation">
          <a href={listHref("requests", { operation })}>{operation}</a>
        </DescriptionItem>
        <DescriptionItem term="Key">
          {keyId === null ? "None that is valid" : <KeyLink id={keyId} name={keyName} />}
        </DescriptionItem>
        {simulated !== null && (
          <DescriptionItem term="Simulated">
            <code>{simulated}</code>
          </DescriptionItem>
        )}
        {limits !== null && <DescriptionItem term="Left this minute">{leftText(limits.minute)}</DescriptionItem>}
        {limits?.day && <DescriptionItem term="Left this day">{leftText(limits.day)}</DescriptionItem>}
      </DescriptionList>
    </Panel>
  );
}

/** The code, what it means, and its entry in the documentation, which is at the address of the service. */
function ErrorMeaning({ of: { code, message } }: { of: NonNullable<PastRequest["error"]> }) {
  const { value: state } = useFetch<ServiceState>("/state");
  const baseUrl = state?.baseUrls[deployment === "staging" ? "staging" : "production"];
  return (
    <>
      <code>{code}</code> {message}{" "}
      {baseUrl !== undefined && <a href={`${baseUrl.replace(/\/v1$/, "")}/docs/errors#${code}`}>Cause and fix</a>}
    </>
  );
}

/** The name of a key and its id, which is all that a key has that was removed from the store. */
function KeyLink({ id, name }: { id: string; name: string | null }) {
  return (
    <>
      <a href={keyHref(id)}>{name ?? id}</a>{" "}
      <a class="faint" href={listHref("requests", { key: id })}>
        Its requests
      </a>
    </>
  );
}

function leftText({ limit, remaining }: { limit: number; remaining: number }): string {
  return `${formatCount(remaining)} of ${formatCount(limit)}`;
}

/** The filters of the request history, by the parameters of the API. */
function useRequestFilters(): Filter[] {
  const { value: state } = useFetch<ServiceState>("/state");
  const operations = [...(state?.operations ?? []).map(({ id }) => id), "other"];
  const options = (values: string[]) => values.map((value) => [value, value] as const);
  return [
    { kind: "text", name: "key", label: "Key", placeholder: "Name, id or owner" },
    { kind: "choice", name: "status", label: "Status", none: "All statuses", options: statusFilters },
    { kind: "choice", name: "operation", label: "Operation", none: "All operations", options: options(operations) },
    { kind: "choice", name: "error", label: "Error", none: "Any or none", options: options(Object.keys(publicErrors)) },
    { kind: "time", name: "from", label: "From" },
    { kind: "time", name: "to", label: "To" },
  ];
}

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
            time, and of those without an error it may keep a share; <a href="#/requests">the latest requests</a> begin
            the list. Those of operators are in the <a href="#/audit">audit log</a>.
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

/** Requests, with their keys unless all have the same one. */
export function RequestTable({ requests, hasKeys = true }: { requests: PastRequest[]; hasKeys?: boolean }) {
  return (
    <table class="cards">
      <TableHead
        columns={["Call", "Status", "Error", "Time", hasKeys && "Key", { title: "Duration", isNumeric: true }]}
      />
      <tbody>
        {requests.map(({ id, requestId, at, method, path, status, error, keyId, keyName, duration, simulated }) => (
          <tr key={id}>
            <th scope="row">
              <a href={requestHref(requestId)} title={`Request ${requestId}`}>
                <code>
                  {method} {path}
                </code>
              </a>
            </th>
            <td class="status">
              <Badge tone={toneOfStatus(status)}>{String(status)}</Badge>
            </td>
            <td data-label="Error" class={error === null && simulated === null ? "empty" : undefined}>
              {error?.code} {simulated !== null && <span class="faint">simulated</span>}
            </td>
            <td data-label="Time" class="brief">
              <Timestamp at={at} format="relative" />
            </td>
            {hasKeys && (
              <td data-label="Key">
                {keyId === null ? <span class="faint">none</span> : <a href={keyHref(keyId)}>{keyName ?? keyId}</a>}
              </td>
            )}
            <td data-label="Duration" class="number brief">
              {formatRequestDuration(duration)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How often the list is fetched in the live mode, in ms. */
const LIVE_MS = 1_000;

/** The request history, with filters that the address keeps, and a field to find one request. */
export function RequestsPage({ parameters }: { parameters: URLSearchParams }) {
  const { after: _, ...given } = Object.fromEntries(parameters);
  const filters = useRequestFilters();
  const pagination = paginationIn("requests", parameters);
  const query = withQuery("/requests", { limit: PAGE_SIZE, before: pagination.cursor, ...given });
  const [isLive, setLive] = useState(false);
  const fetched = useFetch<RequestList>(query, isLive ? LIVE_MS : REFRESH_MS, isBeingRead);
  const { kept } = fetched.value ?? {};
  return (
    <Page
      title="Requests"
      description={kept && descriptionOf(kept)}
      actions={
        <button class="button plain live" type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          <span class="dot" />
          Live
        </button>
      }
    >
      <FindRequest />
      <Filters page="requests" of={filters} parameters={parameters} />
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

function descriptionOf(kept: RequestList["kept"]): string {
  const { requests, hours } = kept;
  if (requests === 0) return "The request history is switched off: PETSTORE_REQUEST_HISTORY is 0.";
  return `The last ${formatCount(requests)} requests to the API of ${pluralize(hours, "hour")}, without bodies, headers, queries and addresses. ${shareText(kept) ?? ""}`.trim();
}
