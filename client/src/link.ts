/** The address that a `Link` header gives for this relation (RFC 8288); undefined when there is none. */
export function linkTo(relation: string, headers: Headers): string | undefined {
  for (const [, address, parameters] of (headers.get("Link") ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?([^";,]+)/.exec(parameters ?? "")?.[1] === relation) return address;
  }
  return undefined;
}
