import type { Plan } from "../limits/plans.ts";
import { type Key, scopes } from "./key.ts";

/** A key as tables keep it, on every engine: moments in Unix milliseconds, as numbers or as their digits. */
export type KeyColumns = Readonly<Record<string, unknown>>;

/** The key that a row of a table of ours holds: its checks are ours, so the columns are what they say. */
export function keyOf(row: KeyColumns): Key {
  return {
    id: String(row.id),
    name: String(row.name),
    plan: row.plan as Plan,
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    scopes: scopes.filter((scope) => String(row.scopes).split(" ").includes(scope)),
    createdAt: Number(row.created_at),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
    ...(row.last_used_at !== null && { lastUsedAt: Number(row.last_used_at) }),
    ...(row.pardoned_at !== null && { pardonedAt: Number(row.pardoned_at) }),
  };
}
