import type { Clock } from "../../domain/clock.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { type ActivityRecorder, userAgentOf } from "../../domain/keys/activity.ts";
import type { AdmittedContext, PublicContext, PublicOperation } from "./operations/operation.ts";
import type { RequestHead } from "./request-head.ts";

type Services = { baseUrl: string; clock: Clock; activity: ActivityRecorder };

/** Adds the deprecation headers of a deprecated operation, with its successor. Error responses have them as well. */
export function addDeprecationHeaders(
  { route, headers }: Pick<PublicContext, "route" | "headers">,
  { baseUrl }: Pick<Services, "baseUrl">,
): void {
  const deprecated = route.operation?.deprecated;
  if (deprecated === undefined) return;
  const successor = `<${baseUrl}${deprecated.successor(route.params)}>; rel="successor-version"`;
  const docs = baseUrl.slice(0, -"/v1".length);
  Object.assign(headers, deprecated.headers);
  headers.Link = `${successor}, <${docs}/docs/deprecation>; rel="deprecation"; type="text/html"`;
}

/** Counts the key's call of a deprecated operation, unless it is a rehearsal. @throws operation_removed, with the successor, after the removal */
export function requireNotRemoved(
  operation: PublicOperation,
  { key, request, route, simulation }: Pick<AdmittedContext, "key" | "route" | "simulation"> & { request: RequestHead },
  { baseUrl, clock, activity }: Services,
): void {
  const { id, deprecated } = operation;
  if (deprecated === undefined) return;
  const now = simulation?.now ?? clock();
  if (simulation === undefined) {
    activity.calledDeprecated(id, key.id, now, userAgentOf(request.headers.get("User-Agent")));
  }
  if (now >= deprecated.removedAt) throw removed(operation, route.params, baseUrl);
}

/** The error of a deprecated operation after its removal. */
export function removed(
  { method, deprecated }: PublicOperation,
  params: Record<string, string>,
  baseUrl: string,
): PetstoreError {
  if (deprecated === undefined) return new PetstoreError("operation_removed");
  const successor = `${method.toUpperCase()} ${baseUrl}${deprecated.successor(params)}`;
  const message = `This operation was removed on ${dateOf(deprecated.removedAt)}. Use ${successor} instead.`;
  return new PetstoreError("operation_removed", { message });
}

/** Formats a time (Unix ms) as a date in UTC: 5 December 2030. */
function dateOf(moment: number): string {
  return new Date(moment).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}
