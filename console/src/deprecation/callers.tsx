import type { Caller } from "../api/answers.ts";
import { Moment } from "../parts/moment.tsx";
import { toKey } from "../route.ts";
import { inFull } from "../words/number.ts";

export function Callers({ callers }: { callers: Caller[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col" class="number">
            Calls
          </th>
          <th scope="col">Last call</th>
          <th scope="col">User agent</th>
        </tr>
      </thead>
      <tbody>
        {callers.map(({ keyId, keyName, calls, lastCalledAt, userAgent }) => (
          <tr key={keyId}>
            <th scope="row">
              <a href={toKey(keyId)}>{keyName}</a>
            </th>
            <td data-label="Calls" class="number">
              {inFull(calls)}
            </td>
            <td data-label="Last call">
              <Moment at={lastCalledAt} as="ago" />
            </td>
            <td data-label="User agent" class="long">
              {userAgent === null ? <span class="faint">not told</span> : <code>{userAgent}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
