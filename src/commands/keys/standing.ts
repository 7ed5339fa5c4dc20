import type { Key } from "../../keys/key.ts";
import { type Ban, banAt, pardoned } from "../../limits/ban.ts";
import type { Usage } from "../../limits/usage.ts";
import { readableOf } from "../time.ts";

/** Whether a key works. */
export type Standing = { status: "active" | "expired" | "revoked" } | { status: "banned"; ban: Ban };

/** How a key stands at `now` (Unix ms): revoked counts for more than expired, and both for more than a ban. */
export function standingOf(key: Key, usage: Usage | undefined, now: number): Standing {
  if (key.revokedAt !== undefined) return { status: "revoked" };
  if (key.expiresAt !== undefined && now >= key.expiresAt) return { status: "expired" };
  const ban = banOf(key, usage, now);
  return ban === undefined ? { status: "active" } : { status: "banned", ban };
}

function banOf({ pardonedAt }: Key, usage: Usage | undefined, now: number): Ban | undefined {
  const conduct = usage?.conduct;
  if (conduct === undefined || pardonedAt === undefined) return banAt(conduct, now);
  return banAt(pardoned(conduct, pardonedAt), now);
}

/** A standing in words. */
export function standingText(standing: Standing): string {
  if (standing.status !== "banned") return standing.status;
  return `banned until ${readableOf(standing.ban.until * 1000)}`;
}
