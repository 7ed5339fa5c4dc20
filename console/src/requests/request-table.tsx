import type { PastRequest } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { keyHref, requestHref } from "../route.ts";
import { formatDuration, toneOf } from "./labels.ts";

/** Requests, with their keys unless all have the same one. */
export function RequestTable({ requests, hasKeys = true }: { requests: PastRequest[]; hasKeys?: boolean }) {
  return (
    <table class="cards">
      <TableHead
        columns={["Call", "Status", "Error", "Time", hasKeys && "Key", { title: "Duration", isNumeric: true }]}
      />
      <tbody>
        {requests.map(({ id, requestId, at, method, path, status, error, keyId, duration, simulated }) => (
          <tr key={id}>
            <th scope="row">
              <a href={requestHref(requestId)} title={`Request ${requestId}`}>
                <code>
                  {method} {path}
                </code>
              </a>
            </th>
            <td class="status">
              <Badge tone={toneOf(status)}>{String(status)}</Badge>
            </td>
            <td data-label="Error" class={error === null && simulated === null ? "empty" : undefined}>
              {error?.code} {simulated !== null && <span class="faint">simulated</span>}
            </td>
            <td data-label="Time" class="brief">
              <Timestamp at={at} format="relative" />
            </td>
            {hasKeys && (
              <td data-label="Key">
                {keyId === null ? <span class="faint">none</span> : <a href={keyHref(keyId)}>{keyId}</a>}
              </td>
            )}
            <td data-label="Duration" class="number brief">
              {formatDuration(duration)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
