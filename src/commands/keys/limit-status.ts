import type { KeyWithLimitStatus } from "../../domain/keys/json.ts";
import { type State, stateOf } from "../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { LimitStatus } from "../../domain/limits/limiter.ts";
import type { Stores } from "../stores.ts";
import { formatTime } from "../time.ts";

/** Adds the limit status at `now` (Unix ms) to a key. */
export async function withLimitStatus(
  { limitStates }: Stores,
  found: KeyWithSecrets,
  now: number,
): Promise<KeyWithLimitStatus> {
  const state = await limitStates.of(found.key.id);
  return { ...found, limitStatus: state === "unknown" ? undefined : limitStatusOf(state, found.key, now) };
}

/**
 * The state of a key at `now` (Unix ms) as text, with the end of a ban, which lasts a day at most, and whether it has a
 * simulation.
 */
export function stateText({ key, limitStatus }: KeyWithLimitStatus, now: number, formatEnd = formatTime): string {
  const text = limitText(stateOf(key, limitStatus?.ban, now), limitStatus, formatEnd);
  return key.simulation === undefined ? text : `${text}, rehearsing`;
}

function limitText(state: State, limitStatus: LimitStatus | undefined, formatEnd: typeof formatTime): string {
  if (state === "active" && limitStatus === undefined) return "active or banned";
  const ban = limitStatus?.ban;
  return state === "banned" && ban !== undefined ? `banned until ${formatEnd(ban.until * 1000)}` : state;
}
