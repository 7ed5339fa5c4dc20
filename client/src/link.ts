/** Returns the URL of this relation in a `Link` header (RFC 8288); undefined if there is none. */
export function linkTo(relation: string, headers: Headers): string | undefined {
  for (const [, address, parameters] of (headers.get("Link") ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?([^";,]+)/.exec(parameters ?? "")?.[1] === relation) return address;
  }
  return undefined;
}
