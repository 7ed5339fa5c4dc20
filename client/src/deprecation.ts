import type { DeprecationEvent, OperationName } from "./options.ts";

/**
 * What a `Link` header consists of: an address, a relation, another quoted string, a comma. A string without an end is the rest
 * of the header, so that each character is read once.
 */
const PARTS = /<([^<>]*)>|;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))|"(?:[^"\\]+|\\.?)*(?:"|$)|,/gi;

/** Returns the URL of this relation in a `Link` header, where a link may have several (RFC 8288); undefined if there is none. */
export function linkTo(relation: string, headers: Headers): string | undefined {
  let address: string | undefined;
  for (const [part, next, quoted, relations = quoted] of (headers.get("Link") ?? "").matchAll(PARTS)) {
    if (address !== undefined && relations?.toLowerCase().split(/\s+/).includes(relation)) return address;
    // Only the first `rel` of a link counts.
    address = part === "," || relations !== undefined ? undefined : (address ?? next);
  }
  return undefined;
}

/** Reports each deprecated operation once, by the headers of its responses. */
export class DeprecationReporter {
  readonly #onDeprecation: (event: DeprecationEvent) => void;
  readonly #reported = new Set<OperationName>();

  constructor(onDeprecation: (event: DeprecationEvent) => void = warn) {
    this.#onDeprecation = onDeprecation;
  }

  check(operation: OperationName, headers: Headers): void {
    const deprecation = headers.get("Deprecation");
    const sunset = headers.get("Sunset");
    if ((deprecation ?? sunset) === null || this.#reported.has(operation)) return;
    this.#reported.add(operation);
    const since = /^@(-?\d+)$/.exec(deprecation ?? "")?.[1];
    this.#onDeprecation({
      operation,
      since: since === undefined ? undefined : new Date(Number(since) * 1000),
      sunset: sunset === null ? undefined : new Date(sunset),
      successor: linkTo("successor-version", headers),
    });
  }
}

function warn({ operation, sunset, successor }: DeprecationEvent): void {
  const end = sunset === undefined ? "" : ` and will be removed on ${sunset.toUTCString()}`;
  const instead = successor === undefined ? "" : ` Use GET ${successor} instead.`;
  console.warn(`@petstore/client: ${operation} is deprecated${end}.${instead}`);
}
