const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own X-Request-Id where it has the accepted form, otherwise a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("X-Request-Id");
  return given !== null && ACCEPTED.test(given) ? given : crypto.randomUUID();
}
