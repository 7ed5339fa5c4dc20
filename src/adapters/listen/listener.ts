import type { App } from "../http/app.ts";

/** A socket that is being listened on. */
export type Listener = {
  /** The port that it got. */
  port: number;
  /** Takes no new connections, and resolves when the requests in flight are answered; at the latest after `patience` ms. */
  stop(patience: number): Promise<void>;
};

export type Address = {
  host: string;
  port: number;
  /** Whether other processes may listen there too; the system then gives each a part of the connections (Linux). */
  isShared: boolean;
  /** How long a request may take to arrive whole, in ms, as long as it goes on arriving; 15 s if left out. Only Node sets such an end. */
  longestRequest?: number;
};

/** Has `app` answer at this address. @throws when the address cannot be had */
export type Listen = (app: App, address: Address) => Promise<Listener>;
