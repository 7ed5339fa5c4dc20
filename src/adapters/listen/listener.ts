import type { AppOn } from "../http/app.ts";

/** A listening socket. */
export type Listener = {
  /** The actual port. */
  port: number;
  /** Accepts no new connections. Resolves when the requests in flight are answered, after `timeout` ms at the latest. */
  stop(timeout: number): Promise<void>;
  /** Closes everything at once, connections and requests in flight included. */
  close(): Promise<void>;
};

export type Address = {
  host: string;
  port: number;
  /** Whether other processes may listen on the same address. The system distributes the connections (Linux). */
  isShared: boolean;
  /** How long receiving a request may take, in ms; default: 15 s. Only Node enforces it. */
  requestTimeout?: number;
};

/** Serves on an address the app for its actual port. @throws when it cannot listen on the address */
export type Listen = (appOn: AppOn, address: Address) => Promise<Listener>;
