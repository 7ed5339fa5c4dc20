import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isDialogOpen } from "../focus.ts";
import { ApiError, type Body, isInvalidRequest, type Method, request, sessionEvents, type Tagged } from "./call.ts";

/** A change that an operator asked for: whether its request is pending, and the error of the last attempt. */
export type Action = { isPending: boolean; error: Error | undefined; run(change: () => Promise<void>): Promise<void> };

export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (change: () => Promise<void>) => {
    setPending(true);
    setError(undefined);
    try {
      await change();
    } catch (failure) {
      setError(failure as Error);
    }
    setPending(false);
  };
  return { isPending, error, run };
}

/** A change of a resource that is made only to the state that the operator has seen. */
type ConditionalChange<T> = {
  /** The state when the dialog opened, or the newer one that was read since. */
  seen: T;
  /** Whether somebody else has changed the resource while the dialog was open. */
  isNewer: boolean;
  /** `below`: the rest of the path. @throws Error after a change by somebody else, whose state is then the one seen */
  send<R>(method: Method, body?: Body, below?: string): Promise<R>;
};

export function useConditionalChange<T>(path: string, opened: Tagged<T>): ConditionalChange<T> {
  const [{ seen, isNewer }, setState] = useState({ seen: opened, isNewer: false });
  async function send<R>(method: Method, body?: Body, below = ""): Promise<R> {
    try {
      const { value } = await request<R>(method, path + below, { body, ifMatch: seen.etag });
      return value;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "precondition_failed")) throw error;
      setState({ seen: await request<T>("GET", path), isNewer: true });
      throw new Error("Somebody else has made a change meanwhile. Look at the new state above, then decide again.");
    }
  }
  return { seen: seen.value, isNewer, send };
}

/** The newest value of a resource, whether a request for it is pending, and the error of the last request. */
export type Fetched<T> = Tagged<T | undefined> & {
  error: Error | undefined;
  isLoading: boolean;
  /** Requests it at once. Resolves when a response has come, or an error: a dialog that has changed it closes then. */
  reload(): Promise<void>;
};

/** How often most pages fetch what they show, in ms. */
export const REFRESH_MS = 5_000;

/**
 * Fetches `path` with GET: at once, when `path` changes, when the operator signs in again or comes back to this tab, and
 * every `intervalMs` while the page is visible, unless it `isHeld`: by default a dialog keeps the page that it was opened from.
 * The previous value stays until the next one arrives, so that the page does not flicker, unless the service refuses the path:
 * a list is of the filters above it, or of none.
 */
export function useFetch<T>(path: string, intervalMs?: number, isHeld = isDialogOpen): Fetched<T> {
  const [{ loaded, ...state }, setState] = useState<Omit<Fetched<T>, "reload"> & { loaded: string }>({
    loaded: path,
    value: undefined,
    etag: null,
    error: undefined,
    isLoading: true,
  });
  const [reloads, setReloads] = useState(0);
  const waiting = useRef<(() => void)[]>([]);
  const reload = useCallback(() => {
    setReloads((count) => count + 1);
    return new Promise<void>((resolve) => waiting.current.push(resolve));
  }, []);
  useEffect(() => {
    sessionEvents.addEventListener("began", reload);
    return () => sessionEvents.removeEventListener("began", reload);
  }, [reload]);

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** How many wait for the first response. Who asks later waits for the next one, which then replaces this. */
    let waiters = waiting.current.length;
    const load = async () => {
      try {
        const found = await request<T>("GET", path, { signal: abort.signal });
        // The path may have changed while the response was read.
        if (abort.signal.aborted) return;
        setState({ ...found, loaded: path, error: undefined, isLoading: false });
      } catch (error) {
        if (abort.signal.aborted) return;
        const isInvalid = isInvalidRequest(error);
        setState(({ value, etag }) => ({
          ...(isInvalid ? { value: undefined, etag: null } : { value, etag }),
          loaded: path,
          error: error as Error,
          isLoading: false,
        }));
      }
      for (const resolve of waiting.current.splice(0, waiters)) resolve();
      waiters = 0;
      schedule();
    };
    const refresh = () => (document.hidden || isHeld() ? schedule() : load());
    const schedule = () => {
      clearTimeout(timer);
      if (intervalMs !== undefined && !abort.signal.aborted) timer = setTimeout(refresh, intervalMs);
    };
    setState((before) => ({ ...before, isLoading: true }));
    load();
    document.addEventListener("visibilitychange", refresh);
    return () => {
      document.removeEventListener("visibilitychange", refresh);
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, intervalMs, reloads]);
  return { ...state, isLoading: state.isLoading || loaded !== path, reload };
}
