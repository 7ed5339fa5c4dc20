import { type Owner, ownerKeyOf } from "../../../src/domain/keys/key.ts";
import type { Key } from "../api/responses.ts";
import { OwnerLink } from "./owner-link.tsx";

/** The keys of each owner, of keys that the service has sorted by owner. */
export function groupsOf(keys: Key[]): Key[][] {
  const groups: Key[][] = [];
  for (const key of keys) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && ownerKeyOf(ownerIn(last[0])) === ownerKeyOf(ownerIn(key))) last.push(key);
    else groups.push([key]);
  }
  return groups;
}

function ownerIn({ owner }: Key): Owner | undefined {
  if (owner === null) return undefined;
  const { name, email } = owner;
  return { ...(name !== null && { name }), ...(email !== null && { email }) };
}

/** The heading of a group, over all `columns` of the table. One key may have the name of the owner, and another not. */
export function GroupHead({ of: group, columns }: { of: Key[]; columns: number }) {
  const { owner = null } = group.find((key) => key.owner?.name != null) ?? group[0] ?? {};
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={columns}>
        {owner === null ? "No owner" : <OwnerLink of={owner} />}
      </th>
    </tr>
  );
}
