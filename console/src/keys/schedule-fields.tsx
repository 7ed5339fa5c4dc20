import type { Key } from "../api/responses.ts";
import { SelectField, TextField } from "../components/form.tsx";

const choices = [
  ["next", "The next requests"],
  ["every", "One in a number of requests"],
  ["percent", "A share of the requests"],
] as const;

/** Which requests of a key get a simulated answer, in a form. Only a share uses `seed`. */
export type ScheduleInput = { choice: (typeof choices)[number][0]; amount: string; seed: string };

const labels = { next: "Number of requests", every: "One in", percent: "Percent" };

type ScheduleFieldsProps = { value: ScheduleInput; onChange: (value: ScheduleInput) => void };

export function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const amount = (
    <TextField
      label={labels[value.choice]}
      name={value.choice}
      inputMode="numeric"
      pattern="[1-9][0-9]{0,6}"
      value={value.amount}
      onInput={(amount) => onChange({ ...value, amount })}
    />
  );
  return (
    <>
      <SelectField
        label="Requests"
        value={value.choice}
        options={choices}
        onChange={(choice) => onChange({ ...value, choice })}
      />
      {value.choice === "percent" ? (
        <div class="pair">
          {amount}
          <TextField
            label="Seed"
            name="seed"
            inputMode="numeric"
            pattern="[0-9]{1,10}"
            value={value.seed}
            onInput={(seed) => onChange({ ...value, seed })}
          />
        </div>
      ) : (
        amount
      )}
    </>
  );
}

/** A simulation as the input for another one. */
export function scheduleInputOf(simulation: Key["simulation"]): ScheduleInput {
  const { next = null, every = null, percent = null, seed = null } = simulation ?? {};
  const choice = percent !== null ? "percent" : every !== null ? "every" : "next";
  return { choice, amount: String(next ?? every ?? percent ?? 1), seed: String(seed ?? 0) };
}

/** The input as fields of the API. */
export function scheduleOf({ choice, amount, seed }: ScheduleInput): Record<string, number> {
  return { [choice]: Number(amount), ...(choice === "percent" && { seed: Number(seed) }) };
}
