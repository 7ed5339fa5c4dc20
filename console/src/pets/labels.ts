import type { Pet } from "../api/responses.ts";
import type { Tone } from "../components/values.tsx";

export const statuses = [
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const satisfies readonly (readonly [Pet["status"], string])[];

export const toneOf: Record<Pet["status"], Tone> = { available: "good", pending: "warn", sold: "quiet" };
