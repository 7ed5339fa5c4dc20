import { states as allStates, type Scope, type State } from "../../../src/domain/keys/key.ts";
import { plans as allPlans, type Plan } from "../../../src/domain/limits/limits.ts";
import type { Key, Window } from "../api/responses.ts";
import { Meter, type Tone } from "../components/values.tsx";
import { formatCompact, formatCount } from "../format.ts";
import { listHref } from "../route.ts";

const planNames: Record<Plan, string> = { free: "Free", pro: "Pro", business: "Business", enterprise: "Enterprise" };
export const plans = allPlans.map((plan) => [plan, planNames[plan]] as const);

const stateNames: Record<State, string> = {
  active: "Active",
  banned: "Banned",
  disabled: "Disabled",
  expired: "Expired",
  revoked: "Revoked",
};
export const states = allStates.map((state) => [state, stateNames[state]] as const);

export const scopeNames: Record<Scope, string> = {
  "pets:read": "Read pets",
  "pets:write": "Add, change and remove pets",
  "orders:read": "Read orders",
  "orders:write": "Place and change orders",
  "events:read": "Follow all changes",
  "key:rotate": "Rotate its own secret",
};

export const toneOfState: Record<State, Tone> = {
  active: "good",
  banned: "warn",
  disabled: "warn",
  expired: "quiet",
  revoked: "bad",
};

export const planName = (plan: Plan): string => planNames[plan];

/** The owner of a key, with a link to all keys of the owner. */
export function OwnerLink({ of: { name, email } }: { of: NonNullable<Key["owner"]> }) {
  return (
    <>
      <a href={listHref("keys", { owner: email ?? name ?? "" })} title="Show all keys of this owner">
        {name ?? email}
      </a>
      {name !== null && email !== null && (
        <>
          {" "}
          <span class="faint">{email}</span>
        </>
      )}
    </>
  );
}

/** The used part of a limit; undefined while Redis does not respond. */
export function LimitBar({ label, window }: { label: string; window: Window | undefined }) {
  if (window === undefined) return <span class="faint">unknown</span>;
  return (
    <div class="limit-bar" title={`${formatCount(window.used)} of ${formatCount(window.limit)}`}>
      <span class="number">
        {formatCompact(window.used)} <span class="faint">/ {formatCompact(window.limit)}</span>
      </span>
      <Meter label={label} value={window.used} max={window.limit} tone="load" />
    </div>
  );
}
