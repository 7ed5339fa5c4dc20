import { type Ban, banAt, type Conduct, pardoned, strikesAt } from "../limits/ban.ts";
import type { Usage } from "../limits/usage.ts";
import { current, DAY, MINUTE } from "../limits/window.ts";
import type { Key } from "./key.ts";

export const states = ["active", "banned", "expired", "revoked"] as const;

/** Whether a key works. */
export type Standing = { status: "active" | "expired" | "revoked" } | { status: "banned"; ban: Ban };

/** How a key stands at `now` (Unix ms): revoked counts for more than expired, and both for more than a ban. */
export function standingOf(key: Key, usage: Usage | undefined, now: number): Standing {
  if (key.revokedAt !== undefined) return { status: "revoked" };
  if (key.expiresAt !== undefined && now >= key.expiresAt) return { status: "expired" };
  const ban = banOf(key, usage, now);
  return ban === undefined ? { status: "active" } : { status: "banned", ban };
}

/** The ban that a key is under at `now` (Unix ms), unless an operator lifted it. */
export function banOf(key: Key, usage: Usage | undefined, now: number): Ban | undefined {
  return banAt(conductOf(key, usage), now);
}

/** What one window has counted: `used` of `limit` requests, over at `resetAt` (Unix ms); a window that is not open has no end. */
export type Use = { used: number; limit: number; resetAt: number | undefined };

/** What a key has used of its limits at `now` (Unix ms), and what it has done against them. */
export type Uses = { minute: Use; day: Use; strikes: number };

export function usesOf(key: Key, usage: Usage | undefined, now: number): Uses {
  const { perMinute, perDay } = key.limits;
  return {
    minute: useOf(usage?.minute, MINUTE, perMinute, now),
    day: useOf(usage?.day, DAY, perDay, now),
    strikes: strikesAt(conductOf(key, usage), now),
  };
}

function useOf(window: Usage["minute"] | undefined, seconds: number, limit: number, now: number): Use {
  const open = current(window, seconds, now);
  return { used: open.count, limit, resetAt: open === window ? open.resetAt * 1000 : undefined };
}

function conductOf({ pardonedAt }: Key, usage: Usage | undefined): Conduct | undefined {
  const conduct = usage?.conduct;
  return conduct === undefined || pardonedAt === undefined ? conduct : pardoned(conduct, pardonedAt);
}
