import type { KeyState } from "../api/responses.ts";
import type { Tone } from "../components/badge.tsx";

export const plans = [
  ["free", "Free"],
  ["pro", "Pro"],
  ["business", "Business"],
  ["enterprise", "Enterprise"],
] as const;

export const states = [
  ["active", "Active"],
  ["banned", "Banned"],
  ["expired", "Expired"],
  ["revoked", "Revoked"],
] as const;

export const scopes = [
  ["pets:read", "Read pets"],
  ["pets:write", "Add pets"],
] as const;

export const toneOf: Record<KeyState, Tone> = { active: "good", banned: "warn", expired: "quiet", revoked: "bad" };

export const planName = (plan: string): string => plans.find(([value]) => value === plan)?.[1] ?? plan;
