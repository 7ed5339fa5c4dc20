import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

type DialogProps = {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** What must not be left by a stray key or click: something is under way, or shown but once. */
  isHeld?: boolean;
};

/** A window above the page. The browser keeps the focus inside; afterwards it is where it was before. */
export function Dialog({ title, children, onClose, isHeld = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!isHeld) onClose();
      }}
      // Who presses Escape twice is not asked a second time by the browser.
      onClose={() => (isHeld ? dialog.current?.showModal() : onClose())}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {!isHeld && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
