import { PetstoreError } from "../../../domain/errors.ts";
import { isAmong, type parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";

const SAFE = ["GET", "HEAD", "OPTIONS"];

/**
 * Lets a browser send unsafe methods only from our own pages, by Sec-Fetch-Site or else by Origin.
 * @throws cross_site_request
 */
export function requireSameSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { request } = context;
  if (SAFE.includes(request.method)) return;
  const site = request.headers.get("Sec-Fetch-Site");
  const isOwn = site === null ? request.headers.get("Origin") === originOf(context, proxies) : site === "same-origin";
  if (isOwn) return;
  const message = "A page of another site may not do this. Programs send a token in the header Authorization instead.";
  throw new PetstoreError("cross_site_request", { message });
}

/** The same for signing in, which programs do as well: a request with neither header passes. @throws cross_site_request */
export function refuseCrossSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { headers } = context.request;
  if (headers.has("Sec-Fetch-Site") || headers.has("Origin")) requireSameSite(context, proxies);
}

/** Whether a browser says that a page of another site sent the request. */
export function isFromOtherSite({ request }: RequestContext): boolean {
  return ["cross-site", "same-site"].includes(request.headers.get("Sec-Fetch-Site") ?? "");
}

/** Whether the client uses TLS, as a trusted proxy says. */
export function isSecure({ request, connection }: RequestContext, proxies: ReturnType<typeof parseRanges>): boolean {
  return request.headers.get("X-Forwarded-Proto") === "https" && isAmong(connection.address(), proxies);
}

/** The origin of our own pages, by the name that the client uses. */
function originOf(context: RequestContext, proxies: ReturnType<typeof parseRanges>): string {
  return `${isSecure(context, proxies) ? "https" : "http"}://${context.request.headers.get("Host") ?? ""}`;
}
