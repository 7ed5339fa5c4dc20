import { useEffect } from "preact/hooks";

/** While `isActive`, the browser asks before it reloads, closes or leaves the page. */
export function useUnloadWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isActive]);
}
