import type { Key } from "../api/answers.ts";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { toKey } from "../route.ts";
import { WindowBar } from "./window-bar.tsx";
import { planName, toneOf } from "./words.ts";

export function KeyTable({ keys }: { keys: Key[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">State</th>
          <th scope="col">Plan</th>
          <th scope="col">This minute</th>
          <th scope="col">This day</th>
          <th scope="col">Last used</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <a href={toKey(key.id)}>{key.name}</a>
              <span class="faint">
                <code>{key.id}</code> …<code>{key.lastFour}</code>
              </span>
            </th>
            <td class="standing">
              <State of={key} />
            </td>
            <td data-label="Plan">{planName(key.plan)}</td>
            <td data-label="This minute">
              <WindowBar label={`Requests of ${key.name} in this minute`} window={key.usage?.minute} />
            </td>
            <td data-label="This day">
              <WindowBar label={`Requests of ${key.name} in this day`} window={key.usage?.day} />
            </td>
            <td data-label="Last used">
              <Moment at={key.lastUsedAt} as="ago" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A key's state; a ban with its end. */
export function State({ of: { state, usage } }: { of: Key }) {
  return (
    <span class="state">
      <Badge tone={toneOf[state]}>{state}</Badge>
      {state === "banned" && usage?.bannedUntil != null && (
        <span class="faint">
          ends <Moment at={usage.bannedUntil} as="ago" />
        </span>
      )}
    </span>
  );
}
