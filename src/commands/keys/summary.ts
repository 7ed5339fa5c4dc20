import { type Standing, standingOf } from "../../keys/standing.ts";
import type { KeyWithSecrets } from "../../keys/store.ts";
import type { Stores } from "../stores.ts";
import { isoOf } from "../time.ts";

/** What lists show of a key, and how scripts read it. */
export function summaryOf({ key, secrets }: KeyWithSecrets, standing: Standing) {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    limits: key.limits,
    scopes: key.scopes,
    lastFour: secrets[0]?.lastFour ?? "",
    status: standing.status,
    bannedUntil: standing.status === "banned" ? isoOf(standing.ban.until * 1000) : null,
    createdAt: isoOf(key.createdAt),
    expiresAt: isoOf(key.expiresAt),
    revokedAt: isoOf(key.revokedAt),
    lastUsedAt: isoOf(key.lastUsedAt),
  };
}

/** The summary of a key that exists, as it is now. */
export async function currentSummary({ keys, usages }: Stores, id: string) {
  const found = await keys.get(id);
  return found && summaryOf(found, standingOf(found.key, await usages.of(id), Date.now()));
}
