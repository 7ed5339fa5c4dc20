import { useEffect } from "preact/hooks";
import { isDialogOpen } from "./open-dialog.ts";

/** Moves the focus to the heading of the page when its element is removed or disabled, as by an action that it began. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
    };
    const keep = () => {
      const isLost = last !== null && (!last.isConnected || last.matches(":disabled"));
      // An open dialog gives the focus back itself when it closes.
      if (!isLost || isDialogOpen()) return;
      if (document.activeElement === document.body || document.activeElement === last) {
        document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
      }
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    addEventListener("focusin", remember);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", remember);
    };
  }, []);
}
