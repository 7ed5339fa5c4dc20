import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { announce } from "../announce.ts";
import type { Action } from "../api/action.ts";
import { ApiError } from "../api/call.ts";
import { Button } from "./button.tsx";
import { CancelDialog } from "./dialog.tsx";
import { ErrorMessage } from "./error-message.tsx";

const Details = createContext<ApiError["details"]>([]);

/** Whether the service refused the last attempt of the form because of this field of the request. */
export function useIsInvalid(field: string): boolean {
  return useContext(Details).some((detail) => detail.field === field);
}

/** What the operator reads in the form after signing in again. */
const SESSION_ENDED = new Error("Your session had ended, so nothing was changed. Try again.");

type FormProps = {
  action: Action;
  submitLabel: string;
  /** What closes the dialog without the change; "Cancel" if it is left out. */
  dismissLabel?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  children: ComponentChildren;
  onSubmit: () => Promise<void>;
};

/** The form of a dialog: fields, the error of the last attempt, and the buttons that submit and cancel. */
export function Form({
  action,
  submitLabel,
  dismissLabel = "Cancel",
  isDangerous = false,
  isDisabled = false,
  children,
  onSubmit,
}: FormProps) {
  const cancel = useContext(CancelDialog);
  const details = action.error instanceof ApiError ? action.error.details : [];
  const hasSessionEnded = action.error instanceof ApiError && action.error.status === 401;
  const submit = async () => {
    await onSubmit();
    announce(`${submitLabel}: done.`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(submit);
      }}
    >
      <div class="fields">
        <Details.Provider value={details}>{children}</Details.Provider>
        {action.error !== undefined && <ErrorMessage error={hasSessionEnded ? SESSION_ENDED : action.error} />}
      </div>
      <footer>
        <Button onClick={cancel}>{dismissLabel}</Button>
        <Button
          type="submit"
          kind={isDangerous ? "danger" : "primary"}
          isPending={action.isPending}
          disabled={isDisabled}
        >
          {submitLabel}
        </Button>
      </footer>
    </form>
  );
}
