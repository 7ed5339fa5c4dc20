import type { ComponentChildren } from "preact";
import type { Action } from "../api/action.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";

type FormProps = {
  action: Action;
  /** What the button that does it says. */
  verb: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  children: ComponentChildren;
  onSubmit: () => Promise<void>;
  onCancel: () => void;
};

/** What is asked in a dialog, why it was refused, and the two ways out. */
export function Form({ action, verb, isDangerous = false, isDisabled = false, children, ...then }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(then.onSubmit);
      }}
    >
      <div class="fields">
        {children}
        {action.error !== undefined && <Failure error={action.error} />}
      </div>
      <footer>
        <Button onClick={then.onCancel}>Cancel</Button>
        <Button type="submit" kind={isDangerous ? "danger" : "primary"} isBusy={action.isBusy} disabled={isDisabled}>
          {verb}
        </Button>
      </footer>
    </form>
  );
}
