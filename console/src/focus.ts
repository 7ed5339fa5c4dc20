import { useEffect } from "preact/hooks";
import { showBidiControls } from "../../src/domain/text.ts";

/** Has screen readers say `text`. The region is a part of the page from the start: most ignore one that appears with its text. */
export function announce(text: string): void {
  const region = document.getElementById("announcement");
  if (region !== null) region.textContent = showBidiControls(text);
}

export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/** Whether a list should stay as it is: a dialog is open, or the focus is on a link of the list, which new rows would move. */
export const isBeingRead = (): boolean =>
  isDialogOpen() || document.activeElement?.matches("main :is(tbody, .audit) a") === true;

/**
 * Moves the focus to the heading of the page when its element is removed or disabled, as by an action that it began. The page
 * scrolls to it if the focus was visible, that is for who uses the keyboard.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let wasVisible = false;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
      wasVisible = last?.matches(":focus-visible") ?? false;
    };
    const keep = () => {
      const isLost = last !== null && (!last.isConnected || last.matches(":disabled"));
      // An open dialog gives the focus back itself when it closes.
      if (!isLost || isDialogOpen()) return;
      if (document.activeElement === document.body || document.activeElement === last) {
        document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: !wasVisible });
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
