import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { ApiError } from "../api/call.ts";
import type { Action } from "../api/hooks.ts";
import { announce } from "../focus.ts";
import { Button } from "./button.tsx";
import { CancelDialog } from "./dialog.tsx";
import { ErrorMessage } from "./page.tsx";

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

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  /** Renders the control with the id `id`, described by the element with the id `describedBy`. */
  children: (id: string, describedBy: string | undefined) => ComponentChildren;
};

/** A form control with its label and hint. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const describedBy = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, describedBy)}
      {hint !== undefined && (
        <p class="hint" id={describedBy}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = {
  label: string;
  /** The field of the request, such as `limits.perDay`. */
  name: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  inputMode?: "numeric" | "text";
  type?: "text" | "email";
  pattern?: string;
  /** The id of a list of suggestions. */
  list?: string;
  required?: boolean;
};

export function TextField({ label, value, onInput, hint, required = true, ...rest }: TextFieldProps) {
  const isInvalid = useIsInvalid(rest.name);
  return (
    <Field label={label} hint={hint}>
      {(id, describedBy) => (
        <input
          id={id}
          type="text"
          autocomplete="off"
          value={value}
          required={required}
          aria-invalid={isInvalid}
          aria-describedby={describedBy}
          onInput={(event) => onInput(event.currentTarget.value)}
          {...rest}
        />
      )}
    </Field>
  );
}

type SelectFieldProps<T extends string> = {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  hint?: ComponentChildren;
};

export function SelectField<T extends string>({ label, value, options, onChange, hint }: SelectFieldProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(id, describedBy) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([option]) => option === currentTarget.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type FileFieldProps = {
  label: string;
  hint: string;
  accept?: string;
  isRequired?: boolean;
  isDisabled: boolean;
  onChange: (file: File | undefined) => void;
};

const PETS = ".ndjson,.jsonl,.json,.csv,.tsv,.txt,application/x-ndjson,text/csv";

/** Picks a file; by default one that an import of pets takes. */
export function FileField({ label, hint, accept = PETS, isRequired = false, isDisabled, onChange }: FileFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="file"
          accept={accept}
          required={isRequired}
          disabled={isDisabled}
          aria-describedby={hintId}
          onChange={(event) => onChange(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}
