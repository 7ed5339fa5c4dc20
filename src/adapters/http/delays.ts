import { PetstoreError } from "../../domain/errors.ts";
import { SIMULATE } from "../../domain/simulation/simulation.ts";
import type { RequestContext } from "./request-context.ts";

/** How many requests may wait at once: each keeps a connection and its response. */
const MOST = 1_000;

/** The responses that are delayed. They hold nothing of a store. */
export class Delays {
  readonly #stopping: AbortSignal;
  /** How each pending delay is ended early. */
  readonly #ends = new Set<() => void>();
  #places = 0;

  /** When `stopping` is aborted, the delays end. */
  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
    stopping.addEventListener("abort", () => {
      for (const end of this.#ends) end();
    });
  }

  /** Takes a place, which `wait` gives back. @throws invalid_parameter when none is left */
  enter(): void {
    if (this.#places < MOST) {
      this.#places += 1;
      return;
    }
    const problem = `must not have a delay now: ${MOST} requests wait already`;
    const message = `Header ${SIMULATE} ${problem}.`;
    throw new PetstoreError("invalid_parameter", { message, details: [{ in: "header", field: SIMULATE, problem }] });
  }

  /** Resolves after so many milliseconds, or earlier when the client has left or the service stops. */
  async wait({ request, connection }: RequestContext, milliseconds: number): Promise<void> {
    connection.allowPause(milliseconds);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, milliseconds);
    this.#ends.add(end);
    request.signal.addEventListener("abort", () => end(), { once: true });
    if (this.#stopping.aborted || request.signal.aborted) end();
    await promise;
    clearTimeout(timer);
    this.#ends.delete(end);
    this.#places -= 1;
    connection.allowPause(0);
  }
}
