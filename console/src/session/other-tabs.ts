import { useEffect, useRef } from "preact/hooks";

/**
 * Calls `update` when an operator has signed in or out in another tab: the session is that of the browser. Returns a function
 * that notifies the others of it.
 */
export function useOtherTabs(update: () => void): () => void {
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel("session");
    opened.onmessage = update;
    channel.current = opened;
    return () => opened.close();
  }, []);
  return () => channel.current?.postMessage(null);
}
