import type { KeyWithLimitStatus } from "../../domain/keys/json.ts";
import { stateOf } from "../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { LimitStatus } from "../../domain/limits/limiter.ts";
import type { Stores } from "../stores.ts";
import { formatTime } from "../time.ts";

/** Adds the limit status at `now` (Unix ms) to a key. */
export async function withLimitStatus({ limitStates }: Stores, found: KeyWithSecrets, now: number) {
  const limitStatus = limitStatusOf(await limitStates.of(found.key.id), found.key, now);
  return { ...found, limitStatus } satisfies KeyWithLimitStatus;
}

/** The state of a key as text, with the end of a ban, which lasts a day at most, and whether it has a simulation. */
export function stateText({ key }: KeyWithSecrets, { ban, now }: LimitStatus, formatEnd = formatTime): string {
  const state = stateOf(key, ban, now);
  const text = state === "banned" && ban !== undefined ? `banned until ${formatEnd(ban.until * 1000)}` : state;
  return key.simulation === undefined ? text : `${text}, rehearsing`;
}
