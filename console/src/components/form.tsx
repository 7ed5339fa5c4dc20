import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { announce } from "../announce.ts";
import type { Action } from "../api/action.ts";
import { Button } from "./button.tsx";
import { CancelDialog } from "./dialog.tsx";
import { ErrorMessage } from "./error-message.tsx";

type FormProps = {
  action: Action;
  submitLabel: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  children: ComponentChildren;
  onSubmit: () => Promise<void>;
};

/** The form of a dialog: fields, the error of the last attempt, and the buttons that submit and cancel. */
export function Form({ action, submitLabel, isDangerous = false, isDisabled = false, children, onSubmit }: FormProps) {
  const cancel = useContext(CancelDialog);
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
        {children}
        {action.error !== undefined && <ErrorMessage error={action.error} />}
      </div>
      <footer>
        <Button onClick={cancel}>Cancel</Button>
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
