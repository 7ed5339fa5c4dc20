import { PetstoreError } from "../../../domain/errors.ts";
import { isAmong, type parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";

const SAFE = ["GET", "HEAD", "OPTIONS"];

/**
 * Whether a browser sends this for a page of our own: it says so in Sec-Fetch-Site, or names the page's origin.
 * @throws cross_site_request for an unsafe method unless it does
 */
export function requireSameSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { request } = context;
  if (SAFE.includes(request.method)) return;
  const site = request.headers.get("Sec-Fetch-Site");
  const isOwn = site === null ? request.headers.get("Origin") === originOf(context, proxies) : site === "same-origin";
  if (!isOwn) throw crossSite();
}

/** The same for signing in, which programs do too: they say neither. @throws cross_site_request */
export function refuseCrossSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { headers } = context.request;
  if (headers.has("Sec-Fetch-Site") || headers.has("Origin")) requireSameSite(context, proxies);
}

/** Whether the client reached us over TLS, as far as a proxy that is trusted says so. */
export function isSecure({ request, peer }: RequestContext, proxies: ReturnType<typeof parseRanges>): boolean {
  return request.headers.get("X-Forwarded-Proto") === "https" && isAmong(peer(), proxies);
}

/** The origin of our own pages, as the client named us. */
function originOf(context: RequestContext, proxies: ReturnType<typeof parseRanges>): string {
  return `${isSecure(context, proxies) ? "https" : "http"}://${context.request.headers.get("Host") ?? ""}`;
}

function crossSite(): PetstoreError {
  const message = "A page of another site may not do this. Programs send a token in the header Authorization instead.";
  return new PetstoreError("cross_site_request", { message });
}
