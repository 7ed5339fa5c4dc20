import { Field } from "./field.tsx";

type Props = {
  label: string;
  hint: string;
  isRequired?: boolean;
  isDisabled: boolean;
  onChange: (file: File | undefined) => void;
};

/** Picks a file that an import of pets takes. */
export function FileField({ label, hint, isRequired = false, isDisabled, onChange }: Props) {
  return (
    <Field label={label} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="file"
          accept=".ndjson,.jsonl,.json,.csv,application/x-ndjson,text/csv"
          required={isRequired}
          disabled={isDisabled}
          aria-describedby={hintId}
          onChange={(event) => onChange(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}
