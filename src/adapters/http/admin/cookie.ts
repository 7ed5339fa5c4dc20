const NAME = "petstore_session";
/** No script reads it, no other site has it sent, and it goes to the interface alone. */
const ATTRIBUTES = "Path=/admin; HttpOnly; SameSite=Strict";

/** The session's secret in a Cookie header (RFC 6265), if there is one. */
export function secretInCookie(header: string | null): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.split("=", 2);
    if (name?.trim() === NAME && value !== undefined) return value.trim();
  }
  return undefined;
}

/** The header that has a browser keep a session's secret for so many seconds; over TLS, where it came so. */
export function sessionCookie(secret: string, seconds: number, isSecure: boolean): Record<string, string> {
  return { "Set-Cookie": `${NAME}=${secret}; Max-Age=${seconds}; ${ATTRIBUTES}${isSecure ? "; Secure" : ""}` };
}

/** The header that has a browser forget it. */
export function clearedCookie(): Record<string, string> {
  return sessionCookie("", 0, false);
}
