import { type Owner, type Scope, scopes } from "../../../src/domain/keys/key.ts";
import { type Limits, limitsOf, type Plan } from "../../../src/domain/limits/limits.ts";
import type { Key } from "../api/responses.ts";
import { Field, SelectField, TextField, useIsInvalid } from "../components/form.tsx";
import { formatCount } from "../format.ts";
import { plans, scopeNames } from "./key-labels.tsx";

/** The owner and the note of a key in a form. An empty text is none. */
type OwnerInput = { name: string; email: string; note: string };

export const NO_OWNER: OwnerInput = { name: "", email: "", note: "" };

export function ownerInputOf({ owner, note }: Key): OwnerInput {
  return { name: owner?.name ?? "", email: owner?.email ?? "", note: note ?? "" };
}

type OwnerFieldsProps = { value: OwnerInput; onChange: (value: OwnerInput) => void };

export function OwnerFields({ value, onChange }: OwnerFieldsProps) {
  return (
    <>
      <div class="pair">
        <TextField
          label="Owner"
          name="owner.name"
          required={false}
          value={value.name}
          onInput={(name) => onChange({ ...value, name })}
        />
        <TextField
          label="Owner's e-mail"
          name="owner.email"
          type="email"
          required={false}
          value={value.email}
          onInput={(email) => onChange({ ...value, email })}
        />
      </div>
      <TextField
        label="Note"
        name="note"
        required={false}
        value={value.note}
        onInput={(note) => onChange({ ...value, note })}
        hint="What you need to remember about the key."
      />
    </>
  );
}

/** The input as `owner` and `note` of the API: null for none. */
export function ownerOf({ name, email, note }: OwnerInput): { owner: Owner | null; note: string | null } {
  const owner = { ...(name !== "" && { name }), ...(email !== "" && { email }) };
  return { owner: Object.keys(owner).length === 0 ? null : owner, note: note === "" ? null : note };
}

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

export function ScopesField({ value, onChange }: { value: Scope[]; onChange: (value: Scope[]) => void }) {
  const toggle = (scope: Scope) => onChange(scopes.filter((one) => (one === scope) !== value.includes(one)));
  return (
    <fieldset class="checks">
      <legend>Scopes</legend>
      {scopes.map((scope) => (
        <label key={scope}>
          <input type="checkbox" checked={value.includes(scope)} onChange={() => toggle(scope)} />
          <span>
            {scopeNames[scope]} <code>{scope}</code>
          </span>
        </label>
      ))}
      {value.length === 0 && (
        <p class="hint" role="status">
          Choose at least one scope.
        </p>
      )}
    </fieldset>
  );
}

const expiryChoices = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 365 days"],
  ["custom", "On a specific date"],
] as const;

/** The expiry of a key in a form. `date` is the value of a datetime-local input, in the time zone of the browser. */
export type ExpiryInput = { choice: (typeof expiryChoices)[number][0]; date: string };

export function ExpiryField({ value, onChange }: { value: ExpiryInput; onChange: (value: ExpiryInput) => void }) {
  const isInvalid = useIsInvalid("expiresAt");
  return (
    <>
      <SelectField
        label="Expires"
        value={value.choice}
        options={expiryChoices}
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

const scheduleChoices = [
  ["next", "The next requests"],
  ["every", "One in a number of requests"],
  ["percent", "A share of the requests"],
] as const;

/** Which requests of a key get a simulated answer, in a form. Only a share uses `seed`. */
export type ScheduleInput = { choice: (typeof scheduleChoices)[number][0]; amount: string; seed: string };

const amountLabels = { next: "Number of requests", every: "One in", percent: "Percent" };

type ScheduleFieldsProps = { value: ScheduleInput; onChange: (value: ScheduleInput) => void };

export function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const amount = (
    <TextField
      label={amountLabels[value.choice]}
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
        options={scheduleChoices}
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
