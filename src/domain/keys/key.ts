import type { Limits, Plan } from "../limits/plans.ts";
import type { SimulationScript } from "../simulation/script.ts";
import type { Owner } from "./owner.ts";

/** `pets:…` is for pets, categories and the inventory, `orders:…` for orders. */
export const scopes = ["pets:read", "pets:write", "orders:read", "orders:write"] as const;
export type Scope = (typeof scopes)[number];

/** An API key, without its secret. Times are Unix milliseconds. */
export type Key = {
  id: string;
  /** The operator's label. */
  name: string;
  owner?: Owner;
  /** What operators need to remember about the key. */
  note?: string;
  plan: Plan;
  limits: Limits;
  scopes: Scope[];
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
  /** When an operator disabled the key. It is refused until an operator enables it again. */
  disabledAt?: number;
  /** Accurate to a minute. */
  lastUsedAt?: number;
  /** When an operator last lifted a ban. Earlier strikes and bans no longer count. */
  pardonedAt?: number;
  /** What its requests are answered with instead, on staging. */
  simulation?: SimulationScript;
};

/** A secret of a key as it is stored: its hash instead of the secret. Rotation sets `expiresAt` (Unix ms). */
export type StoredSecret = { hash: string; keyId: string; lastFour: string; createdAt: number; expiresAt?: number };

/**
 * What a request needs of its key. A process keeps that of a hundred thousand keys in memory, so it has nothing else.
 * `lastUsedAt` is 0 before the first use.
 */
export type RequestKey = Omit<Key, "name" | "owner" | "note" | "createdAt" | "lastUsedAt"> & { lastUsedAt: number };

/** What a request needs of its secret. */
export type RequestSecret = Pick<StoredSecret, "expiresAt">;
/** A key, and the secret of it that a request has. */
export type FoundKey = { key: RequestKey; secret: RequestSecret };

/** Returns why a key with a matching secret is refused at `now` (Unix ms), or undefined when it is valid. */
export function refusalOf(
  key: Pick<Key, "revokedAt" | "expiresAt" | "disabledAt">,
  secret: RequestSecret,
  now: number,
): "revoked_api_key" | "expired_api_key" | "disabled_api_key" | undefined {
  if (key.revokedAt !== undefined && now >= key.revokedAt) return "revoked_api_key";
  const expiresAt = Math.min(key.expiresAt ?? Infinity, secret.expiresAt ?? Infinity);
  if (now >= expiresAt) return "expired_api_key";
  // Regardless of the time: the clock of the node that disabled it may be ahead.
  return key.disabledAt === undefined ? undefined : "disabled_api_key";
}
