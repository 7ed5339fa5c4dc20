import { type Awaitable, after } from "../../domain/awaitable.ts";
import { MAX_BODY_BYTES } from "./body.ts";
import { discard } from "./discard.ts";
import type { Peer } from "./request-context.ts";

type Respond = (request: Request, peer: Peer) => Awaitable<Response>;

/**
 * Closes the connection of a request whose body no one has read, if it may be larger than a body may be: a runtime would
 * read all the rest of it, without end.
 */
export function closingUnread(respond: Respond): Respond {
  return (request, peer) => {
    const response = respond(request, peer);
    return mayBeTooLarge(request) ? after(response, (made) => closeUnread(request, made)) : response;
  };
}

function mayBeTooLarge({ headers }: Request): boolean {
  return headers.has("Transfer-Encoding") || Number(headers.get("Content-Length")) > MAX_BODY_BYTES;
}

/** Reads a part of the body first, so that a client that is still sending gets the response. GET gives no body to read. */
async function closeUnread({ body, bodyUsed }: Request, response: Response): Promise<Response> {
  if (bodyUsed || body?.locked) return response;
  response.headers.set("Connection", "close");
  if (body !== null) await discard(body.getReader());
  return response;
}
