import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call } from "./call.ts";

/** An answer that a page shows: the newest one, whether another is on its way, and what went wrong with that. */
export type Loaded<T> = { value: T | undefined; error: Error | undefined; isLoading: boolean; reload(): void };

/**
 * What GET `path` answers; asked again whenever the path changes, and every so many milliseconds while somebody looks.
 * The answer before stays until the next one is there, so that nothing flickers.
 */
export function useLoaded<T>(path: string, every?: number): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const [asked, setAsked] = useState(0);
  const isFirst = useRef(true);
  const reload = useCallback(() => setAsked((count) => count + 1), []);

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      if (document.hidden && !isFirst.current) return wait();
      try {
        const value = await call<T>("GET", path, undefined, abort.signal);
        // Another path may have been asked for since: this answer is to the one before.
        if (abort.signal.aborted) return;
        setState({ value, error: undefined, isLoading: false });
      } catch (error) {
        if (abort.signal.aborted) return;
        setState(({ value }) => ({ value, error: error as Error, isLoading: false }));
      }
      isFirst.current = false;
      wait();
    };
    const wait = () => {
      if (every !== undefined && !abort.signal.aborted) timer = setTimeout(ask, every);
    };
    setState(({ value, error }) => ({ value, error, isLoading: true }));
    ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, every, asked]);
  return { ...state, reload };
}
