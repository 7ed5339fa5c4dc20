import type { Limits, Plan } from "../limits/plans.ts";

export const scopes = ["pets:read", "pets:write"] as const;
export type Scope = (typeof scopes)[number];

/** An API key, without its secret. Times are Unix milliseconds. */
export type Key = {
  id: string;
  /** The operator's label. */
  name: string;
  plan: Plan;
  limits: Limits;
  scopes: Scope[];
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
  /** Accurate to a minute. */
  lastUsedAt?: number;
  /** When an operator last lifted a ban: strikes and bans from before no longer count. */
  pardonedAt?: number;
};

/** What is kept of one secret of a key: never the secret itself. After `expiresAt` (Unix ms) it is rotated out. */
export type StoredSecret = { hash: string; keyId: string; lastFour: string; createdAt: number; expiresAt?: number };

/** Why a key whose secret matched is refused at `now` (Unix milliseconds), or undefined when it is good. */
export function refusalOf(
  key: Key,
  secret: StoredSecret,
  now: number,
): "revoked_api_key" | "expired_api_key" | undefined {
  if (key.revokedAt !== undefined && now >= key.revokedAt) return "revoked_api_key";
  const expiresAt = Math.min(key.expiresAt ?? Infinity, secret.expiresAt ?? Infinity);
  return now >= expiresAt ? "expired_api_key" : undefined;
}
