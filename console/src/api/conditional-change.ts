import { useState } from "preact/hooks";
import { ApiError, type Body, type Method, request, type Tagged } from "./call.ts";

/** A change of a resource that is made only to the state that the operator has seen. */
export type ConditionalChange<T> = {
  /** The state when the dialog opened, or the newer one that was read since. */
  seen: T;
  /** Whether somebody else has changed the resource while the dialog was open. */
  isNewer: boolean;
  /** @throws Error after a change by somebody else, whose state is then the one seen */
  send<R>(method: Method, body?: Body): Promise<R>;
};

export function useConditionalChange<T>(path: string, opened: Tagged<T>): ConditionalChange<T> {
  const [{ seen, isNewer }, setState] = useState({ seen: opened, isNewer: false });
  async function send<R>(method: Method, body?: Body): Promise<R> {
    try {
      const { value } = await request<R>(method, path, { body, ifMatch: seen.etag });
      return value;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "precondition_failed")) throw error;
      setState({ seen: await request<T>("GET", path), isNewer: true });
      throw new Error("Somebody else has made a change meanwhile. Look at the new state above, then decide again.");
    }
  }
  return { seen: seen.value, isNewer, send };
}
