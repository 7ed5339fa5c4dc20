import { stateOf } from "../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { LimitStatus } from "../../domain/limits/limiter.ts";
import type { Stores } from "../stores.ts";
import { isoOf, readableOf } from "../time.ts";

/** What lists show of a key, and how scripts read it. */
export function summaryOf({ key, secrets }: KeyWithSecrets, { ban, now }: LimitStatus) {
  const status = stateOf(key, ban, now);
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    limits: key.limits,
    scopes: key.scopes,
    lastFour: secrets[0]?.lastFour ?? "",
    status,
    bannedUntil: status === "banned" && ban !== undefined ? isoOf(ban.until * 1000) : null,
    createdAt: isoOf(key.createdAt),
    expiresAt: isoOf(key.expiresAt),
    revokedAt: isoOf(key.revokedAt),
    lastUsedAt: isoOf(key.lastUsedAt),
  };
}

/** Whether a key works, in words. */
export function statusText({ key }: KeyWithSecrets, { ban, now }: LimitStatus): string {
  const state = stateOf(key, ban, now);
  return state === "banned" && ban !== undefined ? `banned until ${readableOf(ban.until * 1000)}` : state;
}

/** The summary of a key that exists, as it is now. */
export async function currentSummary({ keys, limitStates }: Stores, id: string) {
  const found = await keys.get(id);
  return found && summaryOf(found, limitStatusOf(await limitStates.of(id), found.key, Date.now()));
}
