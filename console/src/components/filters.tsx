import { useEffect, useState } from "preact/hooks";
import { toLocalInput } from "../format.ts";

type TextFilterProps = {
  label: string;
  placeholder: string;
  value: string;
  inputMode?: "numeric" | "text";
  onChange: (value: string) => void;
};

/** A text to filter a list by. It applies when it is entered, that is on Enter or when the field loses the focus. */
export function TextFilter({ label, placeholder, value, inputMode = "text", onChange }: TextFilterProps) {
  // The list is fetched again while the operator types.
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <label>
      {label}
      <input
        type="search"
        inputMode={inputMode}
        placeholder={placeholder}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </label>
  );
}

type IdFilterProps = { label: string; of: string; value: string; onChange: (value: string) => void };

/** The id of something to filter a list by. */
export function IdFilter({ of, ...rest }: IdFilterProps) {
  return <TextFilter placeholder={`Id of the ${of}`} inputMode="numeric" {...rest} />;
}

type SelectFilterProps = {
  label: string;
  /** What "" is: no filter. */
  all: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
};

export function SelectFilter({ label, all, value, options, onChange }: SelectFilterProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

type TimeFilterProps = { label: string; value: string; onChange: (value: string) => void };

/** A time in the time zone of the browser; `value` is in UTC. */
export function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={toLocalInput(new Date(value))}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? "" : new Date(currentTarget.value).toISOString())
        }
      />
    </label>
  );
}

type SegmentedControlProps<T extends string> = {
  label: string;
  /** Values and their names. */
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
};

/** A choice of one of a few options, side by side. */
export function SegmentedControl<T extends string>({ label, options, value, onChange }: SegmentedControlProps<T>) {
  return (
    <fieldset class="segmented-control">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([option, name]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
