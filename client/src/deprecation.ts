import type { DeprecationEvent, Operation } from "./options.ts";

const RELATIONS = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i;

/** Returns the URL of this relation in a `Link` header, where a link may have several (RFC 8288); undefined if there is none. */
export function linkTo(relation: string, headers: Headers): string | undefined {
  for (const [, address, parameters] of (headers.get("Link") ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    const [, quoted, plain = ""] = RELATIONS.exec(parameters ?? "") ?? [];
    if ((quoted ?? plain).toLowerCase().split(/\s+/).includes(relation)) return address;
  }
  return undefined;
}

/** Reports each deprecated operation once, by the headers of its responses. */
export class DeprecationReporter {
  readonly #onDeprecation: (event: DeprecationEvent) => void;
  readonly #reported = new Set<Operation>();

  constructor(onDeprecation: (event: DeprecationEvent) => void = warn) {
    this.#onDeprecation = onDeprecation;
  }

  check(operation: Operation, headers: Headers): void {
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
