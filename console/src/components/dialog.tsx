import { type ComponentChildren, createContext } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useNavigationGuard, useUnloadWarning } from "../route.ts";
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
 * after a question, also when the page is left or reloaded. A secret that is shown once is not lost when the address changes.
 */
export function Dialog({ title, children, onClose, isDismissible = true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const hasInput = useRef(false);
  /** What was asked for that would discard the text: to close the dialog, or to leave the page. */
  const [question, setQuestion] = useState<"close" | "leave">();
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
  useUnloadWarning(isEdited);
  const cancel = () => {
    if (isDismissible && isEdited()) setQuestion("close");
    else onClose();
  };
  const requestClose = () => {
    if (isDismissible) cancel();
  };
  useNavigationGuard(() => {
    const isKept = !isDismissible || isEdited();
    if (isKept && isDismissible) setQuestion("leave");
    return isKept;
  });
  const keep = () => setQuestion(undefined);
  const discard = () => {
    keep();
    // The question closes first: while it is open, nothing outside can get the focus back.
    setTimeout(() => {
      onClose();
      // The guard has put the page's own address above the one that was asked for.
      if (question === "leave") history.back();
    });
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
      {question !== undefined && (
        <Dialog title="Discard what you entered?" onClose={keep}>
          <footer>
            <Button onClick={keep}>Keep editing</Button>
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
