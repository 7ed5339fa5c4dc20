import { useState } from "preact/hooks";
import { useAddressChanges } from "../route.ts";

const LINK = /^#\/first\/(\w+)$/;

/** Takes the secret of a link out of the address, so that neither the history nor a bookmark keeps it. */
function takeLink(): string | undefined {
  const [, secret] = LINK.exec(location.hash) ?? [];
  if (secret !== undefined) history.replaceState(null, "", "#/overview");
  return secret;
}

/** The secret of the first sign-in link that was opened, and what forgets it. */
export function useFirstLink(): [link: string | undefined, forget: () => void] {
  const [link, setLink] = useState(takeLink);
  useAddressChanges(() => setLink((before) => takeLink() ?? before));
  return [link, () => setLink(undefined)];
}
