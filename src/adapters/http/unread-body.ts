import { type Awaitable, after } from "../../domain/awaitable.ts";
import { MAX_BODY_BYTES } from "./body.ts";
import type { Connection } from "./connection.ts";
import { lingering } from "./lingering.ts";

type Respond = (request: Request, connection: Connection) => Awaitable<Response>;

/** The responses of connections that were cut. */
const cuts = new WeakSet<Response>();

/**
 * Closes the connection of a request whose body was not read to its end, if it may be larger than a body may be: a
 * runtime would read all the rest of it, without end.
 */
export function closingUnread(respond: Respond): Respond {
  return (request, connection) => {
    const response = respond(request, connection);
    return mayBeTooLarge(request) ? after(response, (made) => closeUnread(request, made)) : response;
  };
}

/** Cuts the connection without an answer, whether or not the body was read. */
export function cut(connection: Connection): Awaitable<Response> {
  return after(connection.cut(), (response) => {
    cuts.add(response);
    return response;
  });
}

function mayBeTooLarge({ headers }: Request): boolean {
  return headers.has("Transfer-Encoding") || Number(headers.get("Content-Length")) > MAX_BODY_BYTES;
}

function closeUnread({ body, bodyUsed }: Request, response: Response): Awaitable<Response> {
  if (cuts.has(response)) return response;
  // A reader that reached the end keeps its lock; one that refused the rest releases it, and the response closes.
  if (body?.locked || (bodyUsed && response.headers.get("Connection") !== "close")) return response;
  response.headers.set("Connection", "close");
  // The request of a GET has no body to read, even if bytes follow its headers.
  return body === null || response.body === null ? response : lingering(response, body);
}
