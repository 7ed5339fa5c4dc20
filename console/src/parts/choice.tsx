type ChoiceProps<T extends string> = {
  label: string;
  options: readonly (readonly [T, string])[];
  chosen: T;
  onChoose: (value: T) => void;
};

/** One of a few, side by side. */
export function Choice<T extends string>({ label, options, chosen, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
