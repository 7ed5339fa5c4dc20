const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's X-Request-Id if it has the accepted form, otherwise a new id. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("X-Request-Id");
  return given !== null && ACCEPTED.test(given) ? given : crypto.randomUUID();
}
