import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { App, AppOn, RequestHead } from "../http/app.ts";

/** A listening socket. */
export type Listener = {
  /** The actual port. */
  port: number;
  /** Accepts no new connections. Resolves when the requests in flight are answered, after `timeout` ms at the latest. */
  stop(timeout: number): Promise<void>;
  /** Closes everything at once, connections and requests in flight included. */
  close(): Promise<void>;
};

export type ListenAddress = {
  host: string;
  port: number;
  /** Whether other processes may listen on the same address. The system distributes the connections (Linux). */
  isShared: boolean;
  /** How long receiving a request may take, in ms; default: 15 s. Only Node enforces it. */
  requestTimeout?: number;
};

/** Serves on an address the app for its actual port. @throws when it cannot listen on the address */
export type Listen = (appOn: AppOn, address: ListenAddress) => Promise<Listener>;

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
