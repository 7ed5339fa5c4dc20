import { states as allStates, type Scope, type State } from "../../../src/domain/keys/key.ts";
import { plans as allPlans, type Plan } from "../../../src/domain/limits/limits.ts";
import type { Tone } from "../components/values.tsx";

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
};

export const toneOf: Record<State, Tone> = {
  active: "good",
  banned: "warn",
  disabled: "warn",
  expired: "quiet",
  revoked: "bad",
};

export const planName = (plan: Plan): string => planNames[plan];
