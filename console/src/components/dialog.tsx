import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

type DialogProps = {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** False while a request is pending, or while a secret is shown once: Escape then does not close the dialog. */
  isDismissible?: boolean;
};

/** A modal dialog. The browser traps the focus inside; on close it returns to where it was. */
export function Dialog({ title, children, onClose, isDismissible = true }: DialogProps) {
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
        if (isDismissible) onClose();
      }}
      // Chromium closes the dialog on a second Escape in spite of `preventDefault`.
      onClose={() => (isDismissible ? onClose() : dialog.current?.showModal())}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {isDismissible && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
