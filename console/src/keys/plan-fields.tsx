import { type Limits, limitsOf, type Plan } from "../../../src/domain/limits/plans.ts";
import { SelectField, TextField } from "../parts/field.tsx";
import { inFull } from "../words/number.ts";
import { plans } from "./words.ts";

/** A plan as it stands in a form: limits of its own are asked for where the plan has none. */
export type PlanInput = { plan: Plan; perMinute: string; perDay: string };

export function PlanFields({ value, onChange }: { value: PlanInput; onChange: (value: PlanInput) => void }) {
  const limits = value.plan === "enterprise" ? undefined : limitsOf[value.plan];
  return (
    <>
      <SelectField
        label="Plan"
        value={value.plan}
        options={plans}
        onChoose={(plan) => onChange({ ...value, plan })}
        hint={
          limits === undefined
            ? "Limits are given with the key."
            : `${inFull(limits.perMinute)} requests a minute, ${inFull(limits.perDay)} a day.`
        }
      />
      {limits === undefined && (
        <div class="pair">
          <TextField
            label="Requests a minute"
            inputMode="numeric"
            pattern="[1-9][0-9]{0,9}"
            value={value.perMinute}
            onInput={(perMinute) => onChange({ ...value, perMinute })}
          />
          <TextField
            label="Requests a day"
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

/** What the interface is told of it. */
export function asPlan({ plan, perMinute, perDay }: PlanInput): { plan: string; limits?: Limits } {
  return plan === "enterprise" ? { plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } } : { plan };
}
