import type { Clock } from "../clock.ts";
import { PetstoreError } from "../errors.ts";
import { plainInt64 } from "../pets/listing.ts";

/** getPet is deprecated since 2026-12-01 (RFC 9745) and ends on 2030-12-05 (RFC 8594; interface.md, Versioning). */
const DEPRECATION = "@1796083200";
export const SUNSET = Date.UTC(2030, 11, 5);
const SUNSET_HEADER = new Date(SUNSET).toUTCString();

const GET_PET = /^\/v1\/pets\/([^/]*)$/;

/** Where the one animal is found that `getPet` was asked for, or all, when `petId` is not an id. */
function replacementOf(petId: string, baseUrl: string): string {
  const isId = (plainInt64(petId) ?? 0n) > 0n;
  return isId ? `${baseUrl}/pets?ids=${petId}` : `${baseUrl}/pets`;
}

/** The headers of every answer to getPet, or undefined when this is another operation. */
export function deprecationHeaders(method: string, path: string, baseUrl: string): Record<string, string> | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const petId = GET_PET.exec(path)?.[1];
  if (petId === undefined) return undefined;
  const site = baseUrl.slice(0, -"/v1".length);
  return {
    Deprecation: DEPRECATION,
    Sunset: SUNSET_HEADER,
    Link: `<${replacementOf(petId, baseUrl)}>; rel="successor-version", <${site}/docs>; rel="deprecation"; type="text/html"`,
  };
}

/** @throws operation_removed, naming the replacement, once getPet's time is over */
export function requireBeforeSunset(petId: string, baseUrl: string, clock: Clock): void {
  if (clock() < SUNSET) return;
  const message = `This operation was removed on 5 December 2030. Use GET ${replacementOf(petId, baseUrl)} instead.`;
  throw new PetstoreError("operation_removed", message);
}

/** The path at which a new animal can be fetched: its own until the sunset, the list's after. */
export function locationOf(id: number, clock: Clock): string {
  return clock() < SUNSET ? `/v1/pets/${id}` : `/v1/pets?ids=${id}`;
}
