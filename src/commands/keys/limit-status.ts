import type { KeyWithLimitStatus } from "../../domain/keys/json.ts";
import { stateOf } from "../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { LimitStatus } from "../../domain/limits/limiter.ts";
import type { Stores } from "../stores.ts";
import { readableOf } from "../time.ts";

/** A key with what it has used of its limits at `now` (Unix ms). */
export async function withLimitStatus({ limitStates }: Stores, found: KeyWithSecrets, now: number) {
  const limitStatus = limitStatusOf(await limitStates.of(found.key.id), found.key, now);
  return { ...found, limitStatus } satisfies KeyWithLimitStatus;
}

/** Whether a key works, for people to read. */
export function stateText({ key }: KeyWithSecrets, { ban, now }: LimitStatus): string {
  const state = stateOf(key, ban, now);
  return state === "banned" && ban !== undefined ? `banned until ${readableOf(ban.until * 1000)}` : state;
}
