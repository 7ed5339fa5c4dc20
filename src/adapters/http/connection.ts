import type { Awaitable } from "../../domain/awaitable.ts";

/** The connection on which a request arrived. */
export interface Connection {
  /** The address at its other end. */
  address(): string;
  /** Lets the connection be open for so long without traffic, in ms, in addition to its idle time-out. */
  allowPause(milliseconds: number): void;
  /**
   * Cuts the connection once the responses to earlier requests are sent: the client gets no byte of this one. Returns a
   * response that nobody gets.
   */
  cut(): Awaitable<Response>;
}
