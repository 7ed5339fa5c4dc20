import type { Clock } from "../../domain/clock.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { plainInt64 } from "../../domain/int64.ts";
import type { RequestContext } from "./request-context.ts";

/** getPet is deprecated since 2026-12-01 (RFC 9745) and ends on 2030-12-05 (RFC 8594; interface.md, Versioning). */
const DEPRECATED_AT = Date.UTC(2026, 11, 1);
const DEPRECATION = `@${DEPRECATED_AT / 1000}`;
export const SUNSET = Date.UTC(2030, 11, 5);

/** The same for operators; moments are Unix milliseconds. */
export const getPetEnd = {
  operation: "getPet",
  deprecatedAt: DEPRECATED_AT,
  removedAt: SUNSET,
  replacement: "GET /v1/pets?ids={petId}",
} as const;

const SUNSET_HEADER = new Date(SUNSET).toUTCString();

const PATH = "/v1/pets/";

export type GetPetDeprecation = ReturnType<typeof getPetDeprecation>;

/** What becomes of getPet, for the service at `baseUrl`. */
export function getPetDeprecation(baseUrl: string, clock: Clock) {
  const explanation = `<${baseUrl.slice(0, -"/v1".length)}/docs/deprecation>; rel="deprecation"; type="text/html"`;

  /** Where the one pet is found that `getPet` was asked for, or all, when `petId` is not an id. */
  const replacementOf = (petId: string): string => {
    const isId = (plainInt64(petId) ?? 0n) > 0n;
    return isId ? `${baseUrl}/pets?ids=${petId}` : `${baseUrl}/pets`;
  };

  return {
    /** Every answer to getPet tells of its end, whatever the answer is; those of other operations do not. */
    addHeaders({ request: { method }, path, headers }: RequestContext): void {
      if (!path.startsWith(PATH) || path.includes("/", PATH.length) || (method !== "GET" && method !== "HEAD")) return;
      headers.Deprecation = DEPRECATION;
      headers.Sunset = SUNSET_HEADER;
      headers.Link = `<${replacementOf(path.slice(PATH.length))}>; rel="successor-version", ${explanation}`;
    },

    /** @throws operation_removed, naming the replacement, once getPet's time is over */
    requireBeforeSunset(petId: string): void {
      if (clock() < SUNSET) return;
      const message = `This operation was removed on 5 December 2030. Use GET ${replacementOf(petId)} instead.`;
      throw new PetstoreError("operation_removed", { message });
    },

    /** The path at which a new pet can be fetched: its own until the sunset, the list's after. */
    locationOf: (id: number): string => (clock() < SUNSET ? `/v1/pets/${id}` : `/v1/pets?ids=${id}`),
  };
}
