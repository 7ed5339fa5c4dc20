import { useEffect, useRef } from "preact/hooks";

/** The browser asks before it reloads, closes or leaves the page if something `isUnsaved` then. */
export function useUnloadWarning(isUnsaved: () => boolean): void {
  const newest = useRef(isUnsaved);
  newest.current = isUnsaved;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (newest.current()) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
}
