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
