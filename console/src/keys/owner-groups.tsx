import { type Owner, ownerKeyOf } from "../../../src/domain/keys/owner.ts";
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

/** The heading of a group, over all `columns` of the table. */
export function GroupHead({ owner, columns }: { owner: Key["owner"]; columns: number }) {
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={columns}>
        {owner === null ? "No owner" : <OwnerLink of={owner} />}
      </th>
    </tr>
  );
}
