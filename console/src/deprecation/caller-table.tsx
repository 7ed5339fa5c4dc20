import type { Caller } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { Timestamp } from "../components/values.tsx";
import { formatCount } from "../format.ts";
import { OwnerLink } from "../pages/key-labels.tsx";
import { keyHref } from "../route.ts";

export function CallerTable({ callers }: { callers: Caller[] }) {
  return (
    <table class="cards">
      <TableHead columns={["Key", { title: "Calls", isNumeric: true }, "Last call", "User agent"]} />
      <tbody>
        {callers.map(({ keyId, keyName, owner, calls, lastCalledAt, userAgent }) => (
          <tr key={keyId}>
            <th scope="row">
              <a href={keyHref(keyId)}>{keyName}</a>
              {owner !== null && (
                <span class="faint">
                  <OwnerLink of={owner} />
                </span>
              )}
            </th>
            <td data-label="Calls" class="number">
              {formatCount(calls)}
            </td>
            <td data-label="Last call">
              <Timestamp at={lastCalledAt} format="relative" />
            </td>
            <td data-label="User agent" class="long">
              {userAgent === null ? <span class="faint">not sent</span> : <code>{userAgent}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
