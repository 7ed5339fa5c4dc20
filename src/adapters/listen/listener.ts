import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { AppOn } from "../http/app.ts";
import { HttpConnection, type Shared, type Socket } from "./connection.ts";

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

  /** Resolves once the socket is closed; undefined unless it is about to be. Counts the requests that wait. */
  wait(): Promise<void> | undefined {
    if (this.#opening !== undefined) this.#waiting += 1;
    return this.#opening;
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

/** A listening socket of a runtime. */
export type OpenedSocket = {
  port: number;
  /** Accepts no new connections. */
  close(): void;
};

/** Listens on an address, and reports each connection's socket, and what happens to it. @throws when it cannot */
export type OpenSocket = (
  address: ListenAddress,
  accept: (socket: Socket) => HttpConnection | undefined,
) => OpenedSocket | Promise<OpenedSocket>;

/** How long a connection may be idle when the listening socket is closed, in ms. */
const IDLE_GRACE = 500;
const SECOND = 1_000;

/** Serves on the sockets of a runtime. Time-outs are counted in seconds: one timer is enough for all connections. */
export function listenOn(open: OpenSocket): Listen {
  return async (appOn, address) => {
    const gate = new Gate();
    const connections = new Set<HttpConnection>();
    const { promise: emptied, resolve: onEmpty } = Promise.withResolvers<void>();
    let shared: Shared | undefined;
    let timer: ReturnType<typeof setInterval> | undefined;
    let isFinishing = false;
    const expire = () => {
      if (shared !== undefined) shared.second += 1;
      for (const connection of connections) connection.expire();
    };
    const remove = (connection: HttpConnection) => {
      connections.delete(connection);
      if (connections.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      if (isFinishing) onEmpty();
    };
    // No connection is accepted before the next turn of the event loop.
    const socket = await open(address, (accepted) => {
      if (shared === undefined) return undefined;
      const connection = new HttpConnection(accepted, shared, () => remove(connection));
      connections.add(connection);
      timer ??= setInterval(expire, SECOND);
      return connection;
    });
    shared = { app: appOn(socket.port), opening: () => gate.wait(), second: 0 };
    const destroy = () => {
      for (const connection of connections) connection.destroy();
    };
    return {
      port: socket.port,
      async stop(timeout) {
        const deadline = setTimeout(destroy, timeout);
        await gate.closeQuietly(() => socket.close());
        await pause(IDLE_GRACE);
        isFinishing = true;
        for (const connection of connections) connection.finish();
        if (connections.size > 0) await emptied;
        clearTimeout(deadline);
      },
      async close() {
        socket.close();
        destroy();
      },
    };
  };
}
