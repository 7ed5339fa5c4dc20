import type { Deployment } from "../../../domain/deployment.ts";

/** Scripts cannot read it, requests from other sites do not carry it, and only the interface receives it. */
const ATTRIBUTES = "Path=/admin; HttpOnly; SameSite=Strict";

/** The cookie of a deployment's sessions. Browsers send cookies to all ports of a host: each deployment needs its own. */
export function cookieName(deployment: Deployment): string {
  return `petstore_session_${deployment}`;
}

/** The session's secret in a Cookie header (RFC 6265), or undefined when it has none. */
export function secretInCookie(header: string | null, deployment: Deployment): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.split("=", 2);
    if (name?.trim() === cookieName(deployment) && value !== undefined) return value.trim();
  }
  return undefined;
}

type Cookie = { deployment: Deployment; secret: string; seconds: number; isSecure: boolean };

/** The header that stores a session's secret in the browser for this many seconds. `isSecure`: only over TLS. */
export function sessionCookie({ deployment, secret, seconds, isSecure }: Cookie): Record<string, string> {
  const value = `${cookieName(deployment)}=${secret}`;
  return { "Set-Cookie": `${value}; Max-Age=${seconds}; ${ATTRIBUTES}${isSecure ? "; Secure" : ""}` };
}

/** The header that deletes the session's secret. */
export function clearedCookie(deployment: Deployment): Record<string, string> {
  return sessionCookie({ deployment, secret: "", seconds: 0, isSecure: false });
}
