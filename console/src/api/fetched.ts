import { useCallback, useEffect, useState } from "preact/hooks";
import { isDialogOpen } from "../being-read.ts";
import { isInvalidRequest, request, sessionEvents, type Tagged } from "./call.ts";

/** The newest value of a resource, whether a request for it is pending, and the error of the last request. */
export type Fetched<T> = Tagged<T | undefined> & { error: Error | undefined; isLoading: boolean; reload(): void };

/**
 * Fetches `path` with GET: at once, when `path` changes, when the operator signs in again or comes back to this tab, and
 * every `intervalMs` while the page is visible, unless it `isHeld`: by default a dialog keeps the page that it was opened from.
 * The previous value stays until the next one arrives, so that the page does not flicker, unless the service refuses the path:
 * a list is of the filters above it, or of none.
 */
export function useFetch<T>(path: string, intervalMs?: number, isHeld = isDialogOpen): Fetched<T> {
  const [state, setState] = useState<Omit<Fetched<T>, "reload">>({
    value: undefined,
    etag: null,
    error: undefined,
    isLoading: true,
  });
  const [reloads, setReloads] = useState(0);
  const reload = useCallback(() => setReloads((count) => count + 1), []);
  useEffect(() => {
    sessionEvents.addEventListener("began", reload);
    return () => sessionEvents.removeEventListener("began", reload);
  }, [reload]);

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        const found = await request<T>("GET", path, { signal: abort.signal });
        // The path may have changed while the response was read.
        if (abort.signal.aborted) return;
        setState({ ...found, error: undefined, isLoading: false });
      } catch (error) {
        if (abort.signal.aborted) return;
        const isInvalid = isInvalidRequest(error);
        setState(({ value, etag }) => ({
          ...(isInvalid ? { value: undefined, etag: null } : { value, etag }),
          error: error as Error,
          isLoading: false,
        }));
      }
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
  return { ...state, reload };
}
