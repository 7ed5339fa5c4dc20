const NAME = "petstore_session";
/** Scripts cannot read it, requests from other sites do not carry it, and only the interface receives it. */
const ATTRIBUTES = "Path=/admin; HttpOnly; SameSite=Strict";

/** The session's secret in a Cookie header (RFC 6265), or undefined when it has none. */
export function secretInCookie(header: string | null): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.split("=", 2);
    if (name?.trim() === NAME && value !== undefined) return value.trim();
  }
  return undefined;
}

/** The header that stores a session's secret in the browser for this many seconds. `isSecure`: only over TLS. */
export function sessionCookie(secret: string, seconds: number, isSecure: boolean): Record<string, string> {
  return { "Set-Cookie": `${NAME}=${secret}; Max-Age=${seconds}; ${ATTRIBUTES}${isSecure ? "; Secure" : ""}` };
}

/** The header that deletes the session's secret. */
export function clearedCookie(): Record<string, string> {
  return sessionCookie("", 0, false);
}
