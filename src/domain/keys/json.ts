import { windowJson } from "../limits/json.ts";
import type { LimitStatus } from "../limits/limiter.ts";
import type { SimulationScript } from "../simulation/script.ts";
import { timestampOf } from "../timestamp.ts";
import type { Owner } from "./owner.ts";
import { stateOf } from "./state.ts";
import type { KeyWithSecrets } from "./store.ts";

/** A key with its limit status, which is undefined while it is unknown. */
export type KeyWithLimitStatus = KeyWithSecrets & { limitStatus: LimitStatus | undefined };

/** A key at `now` (Unix ms) as JSON without its secrets, for the administration interface and the commands. */
export function keyJson({ key, secrets, limitStatus }: KeyWithLimitStatus, now: number) {
  return {
    id: key.id,
    name: key.name,
    owner: ownerJson(key.owner),
    note: key.note ?? null,
    plan: key.plan,
    limits: key.limits,
    scopes: key.scopes,
    createdAt: timestampOf(key.createdAt),
    expiresAt: timestampOf(key.expiresAt),
    revokedAt: timestampOf(key.revokedAt),
    lastUsedAt: timestampOf(key.lastUsedAt),
    disabledAt: timestampOf(key.disabledAt),
    lastFour: secrets[0]?.lastFour ?? "",
    earlierSecrets: secrets.flatMap(({ lastFour, expiresAt }) =>
      expiresAt !== undefined && expiresAt > now ? { lastFour, expiresAt: timestampOf(expiresAt) } : [],
    ),
    state: stateOf(key, limitStatus?.ban, now),
    usage: limitStatus === undefined ? null : usageJson(limitStatus),
    simulation: key.simulation === undefined ? null : simulationJson(key.simulation),
  };
}

function simulationJson({ answer, schedule, startedAt, requests }: SimulationScript) {
  const none = { next: null, every: null, percent: null, seed: null };
  return { answer, ...none, ...schedule, startedAt: timestampOf(startedAt), requests };
}

/** The owner of a key as JSON. */
export function ownerJson(owner: Owner | undefined) {
  return owner === undefined ? null : { name: owner.name ?? null, email: owner.email ?? null };
}

function usageJson({ minute, day, strikes, ban }: LimitStatus) {
  return {
    minute: windowJson(minute),
    day: windowJson(day),
    strikes,
    bannedUntil: timestampOf(ban && ban.until * 1000),
  };
}
