import { PetstoreError } from "../../domain/errors.ts";
import { SIMULATE } from "../../domain/simulation/simulation.ts";
import type { AdmittedContext } from "./operations/operation.ts";

/** How many requests may wait at once: each keeps a connection and its response. */
const MOST = 1_000;
/** How many of them may be of one key, so that others can wait too. */
const MOST_OF_KEY = 100;

/** The responses that are delayed. They hold nothing of a store. */
export class Delays {
  readonly #stopping: AbortSignal;
  /** How each pending delay is ended early. */
  readonly #ends = new Set<() => void>();
  /** How many places each key has taken. */
  readonly #places = new Map<string, number>();
  #taken = 0;

  /** When `stopping` is aborted, the delays end. */
  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
    stopping.addEventListener("abort", () => {
      for (const end of this.#ends) end();
    });
  }

  /** Takes a place for a request of a key, which `wait` gives back. @throws invalid_parameter when none is left */
  enter(keyId: string): void {
    const places = this.#places.get(keyId) ?? 0;
    if (this.#taken >= MOST) throw full(`${MOST} requests`);
    if (places >= MOST_OF_KEY) throw full(`${MOST_OF_KEY} requests of this key`);
    this.#places.set(keyId, places + 1);
    this.#taken += 1;
  }

  /** Resolves after so many milliseconds, or earlier when the client has left or the service stops. */
  async wait({ request, connection, key }: AdmittedContext, milliseconds: number): Promise<void> {
    connection.allowPause(milliseconds);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, milliseconds);
    this.#ends.add(end);
    request.signal.addEventListener("abort", () => end(), { once: true });
    if (this.#stopping.aborted || request.signal.aborted) end();
    await promise;
    clearTimeout(timer);
    this.#ends.delete(end);
    this.#leave(key.id);
    connection.allowPause(0);
  }

  #leave(keyId: string): void {
    const places = this.#places.get(keyId) ?? 0;
    if (places > 1) this.#places.set(keyId, places - 1);
    else this.#places.delete(keyId);
    this.#taken -= 1;
  }
}

function full(waiting: string): PetstoreError {
  const problem = `must not have a delay now: ${waiting} wait already`;
  const message = `Header ${SIMULATE} ${problem}.`;
  return new PetstoreError("invalid_parameter", { message, details: [{ in: "header", field: SIMULATE, problem }] });
}
