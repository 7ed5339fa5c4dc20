import type { Ban } from "../limits/ban.ts";
import type { Key } from "./key.ts";

export const states = ["active", "banned", "disabled", "expired", "revoked"] as const;
/** Whether a key is valid, or why it is not. */
export type State = (typeof states)[number];

/** The state of a key at `now` (Unix ms), with this ban if any. Revoked precedes expired, disabled and banned, in this order. */
export function stateOf({ revokedAt, expiresAt, disabledAt }: Key, ban: Ban | undefined, now: number): State {
  if (revokedAt !== undefined) return "revoked";
  if (expiresAt !== undefined && now >= expiresAt) return "expired";
  if (disabledAt !== undefined) return "disabled";
  return ban === undefined ? "active" : "banned";
}
