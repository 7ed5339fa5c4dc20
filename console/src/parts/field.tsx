import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  /** Gives the control, which has this id and is described by that of the hint. */
  children: (id: string, hint: string | undefined) => ComponentChildren;
};

/** A labelled control of a form. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const described = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, described)}
      {hint !== undefined && (
        <p class="hint" id={described}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProps = {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  inputMode?: "numeric" | "text";
  maxLength?: number;
  pattern?: string;
  required?: boolean;
};

export function TextField({ label, value, onInput, hint, required = true, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(id, described) => (
        <input
          id={id}
          type="text"
          autocomplete="off"
          value={value}
          required={required}
          aria-describedby={described}
          onInput={(event) => onInput(event.currentTarget.value)}
          {...rest}
        />
      )}
    </Field>
  );
}

type SelectProps<T extends string> = {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
  hint?: ComponentChildren;
};

export function SelectField<T extends string>({ label, value, options, onChoose, hint }: SelectProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(id, described) => (
        <select
          id={id}
          value={value}
          aria-describedby={described}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([option]) => option === currentTarget.value);
            if (chosen !== undefined) onChoose(chosen[0]);
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
