import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { App, RequestHead } from "../http/app.ts";

/** The listening socket is closed when no request has arrived for so long, or after so long altogether, in ms. */
const QUIET_TIME = 200;
const MAX_WAIT = 2_000;

/**
 * Lets requests wait while a listening socket is closed. Closing resets the connections that are established but not yet
 * accepted, and a client whose connection ended with its last response connects again at once: without new responses
 * nobody does.
 */
export class Gate {
  #opening: Promise<void> | undefined;
  #waiting = 0;

  guard(app: App): App {
    const { respondAtOnce } = app;
    const guarded: App = (request, connection) => {
      if (this.#opening === undefined) return app(request, connection);
      this.#waiting += 1;
      return this.#opening.then(() => app(request, connection));
    };
    return Object.assign(guarded, {
      respondAtOnce:
        respondAtOnce && ((head: RequestHead) => (this.#opening === undefined ? respondAtOnce(head) : undefined)),
    });
  }

  /** Calls `close` while requests wait, right after the event loop has accepted what was there. */
  async closeQuietly(close: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = promise;
    const end = performance.now() + MAX_WAIT;
    let seen: number;
    do {
      seen = this.#waiting;
      await pause(QUIET_TIME);
      await nextTurn();
    } while (seen !== this.#waiting && performance.now() < end);
    close();
    this.#opening = undefined;
    resolve();
  }
}
