import type { DeprecationEvent, Operation } from "./events.ts";
import { linkTo } from "./link.ts";

/** Reports each operation once that its responses call deprecated. */
export class DeprecationWatch {
  readonly #tell: (event: DeprecationEvent) => void;
  readonly #told = new Set<Operation>();

  constructor(tell: (event: DeprecationEvent) => void = warn) {
    this.#tell = tell;
  }

  look(operation: Operation, headers: Headers): void {
    const deprecation = headers.get("Deprecation");
    const sunset = headers.get("Sunset");
    if ((deprecation ?? sunset) === null || this.#told.has(operation)) return;
    this.#told.add(operation);
    const since = /^@(-?\d+)$/.exec(deprecation ?? "")?.[1];
    this.#tell({
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
