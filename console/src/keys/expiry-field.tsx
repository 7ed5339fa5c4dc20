import { Field, SelectField } from "../parts/field.tsx";

const choices = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["chosen", "On a day of your choice"],
] as const;

/** When a key ends, as it stands in a form: `on` is what the browser's picker gives, in the reader's zone. */
export type ExpiryInput = { choice: (typeof choices)[number][0]; on: string };

export function ExpiryField({ value, onChange }: { value: ExpiryInput; onChange: (value: ExpiryInput) => void }) {
  return (
    <>
      <SelectField
        label="Expires"
        value={value.choice}
        options={choices}
        onChoose={(choice) => onChange({ ...value, choice })}
      />
      {value.choice === "chosen" && (
        <Field label="Day and time" hint="In your own time zone.">
          {(id, hint) => (
            <input
              id={id}
              type="datetime-local"
              required
              aria-describedby={hint}
              value={value.on}
              onInput={(event) => onChange({ ...value, on: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** The moment meant, in UTC; null for never. */
export function asExpiry({ choice, on }: ExpiryInput): string | null {
  if (choice === "never") return null;
  if (choice === "chosen") return new Date(on).toISOString();
  return new Date(Date.now() + Number(choice) * 86_400_000).toISOString();
}
