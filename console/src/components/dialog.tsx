import { type ComponentChildren, createContext } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useNavigationGuard } from "../route.ts";
import { Button, IconButton } from "./button.tsx";

type DialogProps = {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** False while a request is pending, or while a secret is shown once: Escape then does not close the dialog. */
  isDismissible?: boolean;
};

/** Closes the dialog around a form, after a question if text was entered. */
export const CancelDialog = createContext<() => void>(() => {});

/** What gets the focus: the first control of the content. It is a field, or else a button that discards nothing. */
const FIRST = ":scope > header ~ * :is(input, select, textarea, button):enabled";

/**
 * A modal dialog. The browser traps the focus inside; on close it returns to where it was. Entered text is discarded only
 * after a question, and neither it nor a secret that is shown once is lost when the address changes.
 */
export function Dialog({ title, children, onClose, isDismissible = true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const hasInput = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    focusFirst(element);
    return () => element?.close();
  }, []);
  // Other content, such as the secret of a new key after the form, removes the element that had the focus.
  useLayoutEffect(() => {
    if (dialog.current?.contains(document.activeElement) === false) focusFirst(dialog.current);
  }, [title]);
  const isEdited = () => hasInput.current && dialog.current?.querySelector("form") !== null;
  const cancel = () => {
    if (isDismissible && isEdited()) setAsking(true);
    else onClose();
  };
  const requestClose = () => {
    if (isDismissible) cancel();
  };
  useNavigationGuard(() => {
    const isKept = !isDismissible || isEdited();
    if (isKept) requestClose();
    return isKept;
  });
  const discard = () => {
    setAsking(false);
    // The question closes first: while it is open, nothing outside can get the focus back.
    setTimeout(onClose);
  };
  return (
    <dialog
      ref={dialog}
      // A click on text keeps the focus inside.
      tabIndex={-1}
      aria-labelledby={heading}
      onInput={() => {
        hasInput.current = true;
      }}
      // Without this, Chromium closes the dialog on a second Escape in spite of `preventDefault` in `onCancel`.
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        requestClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        requestClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {isDismissible && <IconButton icon="close" label="Close" onClick={requestClose} />}
      </header>
      <CancelDialog.Provider value={cancel}>{children}</CancelDialog.Provider>
      {isAsking && (
        <Dialog title="Discard what you entered?" onClose={() => setAsking(false)}>
          <footer>
            <Button onClick={() => setAsking(false)}>Keep editing</Button>
            <Button kind="danger" onClick={discard}>
              Discard
            </Button>
          </footer>
        </Dialog>
      )}
    </dialog>
  );
}

function focusFirst(dialog: HTMLDialogElement | null): void {
  const first = dialog?.querySelector<HTMLElement>(FIRST) ?? dialog;
  first?.focus();
}
