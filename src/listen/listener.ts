import type { App } from "../http/app.ts";

/** A socket that is being listened on. */
export type Listener = {
  /** The port that it got. */
  port: number;
  /** Takes no new connections, and resolves when the requests in flight are answered; at the latest after `patience` ms. */
  stop(patience: number): Promise<void>;
};

/** Has `app` answer at this address. @throws when the address cannot be had */
export type Listen = (app: App, address: { host: string; port: number }) => Promise<Listener>;
