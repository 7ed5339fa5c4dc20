import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests may wait behind another one on its connection. */
const MAX_WAITING = 100;

/**
 * Limits how many requests wait on a connection for the response before theirs (pipelining, RFC 9112, 9.3.2). Node hands over
 * all that it has read, 1,800 short requests at once, and works on them even when the client has gone.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Whether a request may be handled. If it may not, its connection has ended, possibly right now. */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // The response has the socket unless it waits.
    if (response.socket !== null) return true;
    if (socket.destroyed) return false;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting === MAX_WAITING) {
      socket.destroy();
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once("close", () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) - 1));
    return true;
  }
}
