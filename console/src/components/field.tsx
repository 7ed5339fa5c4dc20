import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useIsInvalid } from "./form.tsx";

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
