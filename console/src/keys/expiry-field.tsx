import { Field, SelectField, useIsInvalid } from "../components/form.tsx";

const choices = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 365 days"],
  ["custom", "On a specific date"],
] as const;

/** The expiry of a key in a form. `date` is the value of a datetime-local input, in the time zone of the browser. */
export type ExpiryInput = { choice: (typeof choices)[number][0]; date: string };

export function ExpiryField({ value, onChange }: { value: ExpiryInput; onChange: (value: ExpiryInput) => void }) {
  const isInvalid = useIsInvalid("expiresAt");
  return (
    <>
      <SelectField
        label="Expires"
        value={value.choice}
        options={choices}
        onChange={(choice) => onChange({ ...value, choice })}
      />
      {value.choice === "custom" && (
        <Field label="Date and time" hint="In your time zone.">
          {(id, describedBy) => (
            <input
              id={id}
              type="datetime-local"
              required
              aria-invalid={isInvalid}
              aria-describedby={describedBy}
              value={value.date}
              onInput={(event) => onChange({ ...value, date: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** The input as `expiresAt` of the API: in UTC, or null for never. */
export function expiresAtOf({ choice, date }: ExpiryInput): string | null {
  if (choice === "never") return null;
  if (choice === "custom") return new Date(date).toISOString();
  return new Date(Date.now() + Number(choice) * 86_400_000).toISOString();
}
