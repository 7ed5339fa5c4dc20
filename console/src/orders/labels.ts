import type { Order } from "../api/responses.ts";
import type { Tone } from "../components/values.tsx";

export const statuses = [
  ["placed", "Placed"],
  ["approved", "Approved"],
  ["delivered", "Delivered"],
  ["cancelled", "Cancelled"],
] as const satisfies readonly (readonly [Order["status"], string])[];

export const toneOf: Record<Order["status"], Tone> = {
  placed: "warn",
  approved: "good",
  delivered: "quiet",
  cancelled: "bad",
};
