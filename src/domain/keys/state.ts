import type { Ban } from "../limits/ban.ts";
import type { Key } from "./key.ts";

export const states = ["active", "banned", "expired", "revoked"] as const;
/** Whether a key is valid, or why it is not. */
export type State = (typeof states)[number];

/** The state of a key at `now` (Unix ms), with this ban if any. Revoked precedes expired, and both precede banned. */
export function stateOf({ revokedAt, expiresAt }: Key, ban: Ban | undefined, now: number): State {
  if (revokedAt !== undefined) return "revoked";
  if (expiresAt !== undefined && now >= expiresAt) return "expired";
  return ban === undefined ? "active" : "banned";
}
