import type { Key } from "../api/responses.ts";
import { listHref } from "../route.ts";

/** The owner of a key, with a link to all keys of the owner. */
export function OwnerLink({ of: { name, email } }: { of: NonNullable<Key["owner"]> }) {
  return (
    <>
      <a href={listHref("keys", { owner: email ?? name ?? "" })} title="Show all keys of this owner">
        {name ?? email}
      </a>
      {name !== null && email !== null && (
        <>
          {" "}
          <span class="faint">{email}</span>
        </>
      )}
    </>
  );
}
