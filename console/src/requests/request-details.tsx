import { useFetch } from "../api/hooks.ts";
import type { Key, PastRequest, ServiceState } from "../api/responses.ts";
import { DescriptionItem, DescriptionList, Panel } from "../components/page.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { formatCount } from "../format.ts";
import { keyHref, listHref } from "../route.ts";
import { formatDuration, toneOf } from "./labels.ts";

/** What one request did: who called what, and what the service answered. */
export function RequestDetails({ of: request }: { of: PastRequest }) {
  const { method, path, operation, keyId, status, error, at, duration, simulated, limits } = request;
  return (
    <Panel title={`${method} ${path}`} aside={<Badge tone={toneOf(status)}>{String(status)}</Badge>}>
      <DescriptionList>
        {error !== null && (
          <DescriptionItem term="Error">
            <ErrorMeaning of={error} />
          </DescriptionItem>
        )}
        <DescriptionItem term="Time">
          <Timestamp at={at} />
        </DescriptionItem>
        <DescriptionItem term="Duration">{formatDuration(duration)}</DescriptionItem>
        <DescriptionItem term="Operation">
          <a href={listHref("requests", { operation })}>{operation}</a>
        </DescriptionItem>
        <DescriptionItem term="Key">{keyId === null ? "None that is valid" : <KeyLink id={keyId} />}</DescriptionItem>
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
function KeyLink({ id }: { id: string }) {
  const { value: key } = useFetch<Key>(`/keys/${encodeURIComponent(id)}`);
  return (
    <>
      <a href={keyHref(id)}>{key?.name ?? id}</a>{" "}
      <a class="faint" href={listHref("requests", { keyId: id })}>
        Its requests
      </a>
    </>
  );
}

function leftText({ limit, remaining }: { limit: number; remaining: number }): string {
  return `${formatCount(remaining)} of ${formatCount(limit)}`;
}
