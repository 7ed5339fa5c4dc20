import type { Key } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { keyHref } from "../route.ts";
import { planName, toneOf } from "./labels.ts";
import { LimitBar } from "./limit-bar.tsx";
import { GroupHead, groupsOf } from "./owner-groups.tsx";
import { OwnerLink } from "./owner-link.tsx";

/** A table of keys. With `isGrouped` each owner has a heading above the keys, which the service has sorted by owner. */
export function KeyTable({ keys, isGrouped = false }: { keys: Key[]; isGrouped?: boolean }) {
  const groups = isGrouped ? groupsOf(keys) : [keys];
  return (
    <table class="cards">
      <TableHead columns={["Key", !isGrouped && "Owner", "State", "Plan", "Per minute", "Per day", "Last used"]} />
      {groups.map((group) => (
        <tbody key={group[0]?.id}>
          {isGrouped && <GroupHead of={group} columns={6} />}
          {group.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <a href={keyHref(key.id)}>{key.name}</a>
                <span class="faint">
                  <code>{key.id}</code> …<code>{key.lastFour}</code>
                </span>
              </th>
              {!isGrouped && <OwnerCell owner={key.owner} />}
              <td class="status">
                <StateBadge of={key} />
              </td>
              <td data-label="Plan">{planName(key.plan)}</td>
              <td data-label="Per minute">
                <LimitBar label={`Requests per minute of ${key.name}`} window={key.usage?.minute} />
              </td>
              <td data-label="Per day">
                <LimitBar label={`Requests per day of ${key.name}`} window={key.usage?.day} />
              </td>
              <td data-label="Last used">
                <Timestamp at={key.lastUsedAt} format="relative" />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** An empty cell takes no room on a phone. */
function OwnerCell({ owner }: { owner: Key["owner"] }) {
  return owner === null ? (
    <td class="empty" />
  ) : (
    <td data-label="Owner" class="owner">
      <OwnerLink of={owner} />
    </td>
  );
}

/** The state of a key, when its ban ends, and whether it has a simulation. */
export function StateBadge({ of: { state, usage, simulation } }: { of: Key }) {
  return (
    <span class="state">
      <Badge tone={toneOf[state]}>{state}</Badge>
      {simulation !== null && <Badge tone="warn">rehearsing</Badge>}
      {state === "banned" && usage?.bannedUntil != null && (
        <span class="faint">
          ends <Timestamp at={usage.bannedUntil} format="relative" />
        </span>
      )}
    </span>
  );
}
