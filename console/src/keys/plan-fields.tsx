import { type Limits, limitsOf, type Plan } from "../../../src/domain/limits/limits.ts";
import { SelectField, TextField } from "../components/form.tsx";
import { formatCount } from "../format.ts";
import { plans } from "./labels.ts";

/** The plan of a key in a form. Only the enterprise plan uses `perMinute` and `perDay`. */
export type PlanInput = { plan: Plan; perMinute: string; perDay: string };

export function PlanFields({ value, onChange }: { value: PlanInput; onChange: (value: PlanInput) => void }) {
  const limits = value.plan === "enterprise" ? undefined : limitsOf[value.plan];
  return (
    <>
      <SelectField
        label="Plan"
        value={value.plan}
        options={plans}
        onChange={(plan) => onChange({ ...value, plan })}
        hint={
          limits === undefined
            ? "Each enterprise key has its own limits."
            : `${formatCount(limits.perMinute)} requests per minute, ${formatCount(limits.perDay)} per day.`
        }
      />
      {limits === undefined && (
        <div class="pair">
          <TextField
            label="Requests per minute"
            name="limits.perMinute"
            inputMode="numeric"
            pattern="[1-9][0-9]{0,9}"
            value={value.perMinute}
            onInput={(perMinute) => onChange({ ...value, perMinute })}
          />
          <TextField
            label="Requests per day"
            name="limits.perDay"
            inputMode="numeric"
            pattern="[1-9][0-9]{0,9}"
            value={value.perDay}
            onInput={(perDay) => onChange({ ...value, perDay })}
          />
        </div>
      )}
    </>
  );
}

/** The input as `plan` and `limits` of the API. */
export function planOf({ plan, perMinute, perDay }: PlanInput): { plan: string; limits?: Limits } {
  return plan === "enterprise" ? { plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } } : { plan };
}
