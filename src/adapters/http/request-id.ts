import { SECRET_LIKE } from "../../domain/keys/secret.ts";
import type { RequestHead } from "./request-head.ts";

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's X-Request-Id if it has the accepted form and contains no secret, otherwise a new id. */
export function requestIdOf(request: RequestHead): string {
  const given = request.headers.get("X-Request-Id");
  const isKept = given !== null && ACCEPTED.test(given) && given.search(SECRET_LIKE) === -1;
  return isKept ? given : crypto.randomUUID();
}
