/** A time in which a key is refused: from `since` (Unix ms) to `until` (Unix seconds); `step` is its rung on the ladder. */
export type Ban = { since: number; until: number; step: number };

/**
 * What a key did after refusals: its strikes of the last ten minutes, as pairs of a Unix second and
 * the strikes in it, oldest first, and its last ban, which is kept while it makes the next one longer.
 */
export type BanState = { strikes: [second: number, count: number][]; ban?: Ban };

/** A refusal this many milliseconds or more after the first one of its window is a strike. */
const BURST_GRACE = 2_000;
/** Strikes count for this many seconds. */
const MEMORY = 600;
const FEWEST_STRIKES = 100;
/** How long the first, second, … ban lasts, in seconds; later ones last as long as the last. */
const LADDER = [300, 900, 3_600, 86_400];
/** A ban that begins within this many seconds of the last one's end is the next step of the ladder. */
const LADDER_MEMORY = 86_400;

/** Whether a refusal at `now` is a strike, when its window first refused at `refusedAt` (both Unix milliseconds). */
export function isStrike(refusedAt: number, now: number): boolean {
  return now - refusedAt >= BURST_GRACE;
}

/** The ban that covers `now` (Unix milliseconds), if any. */
export function banAt(banState: BanState | undefined, now: number): Ban | undefined {
  const ban = banState?.ban;
  return ban !== undefined && now < ban.until * 1000 ? ban : undefined;
}

/** The ban state after one more strike at `now`; enough of them, for a key with this limit a minute, begin a ban. */
export function strike(banState: BanState | undefined, perMinute: number, now: number): BanState {
  const second = Math.floor(now / 1000);
  const strikes = (banState?.strikes ?? []).filter(([at]) => at > second - MEMORY && at < second);
  const inThisSecond = banState?.strikes.find(([at]) => at === second)?.[1] ?? 0;
  strikes.push([second, inThisSecond + 1]);
  const total = strikes.reduce((sum, [, count]) => sum + count, 0);
  const last = banState?.ban;
  if (total < Math.max(FEWEST_STRIKES, perMinute)) return { strikes, ...(last && { ban: last }) };
  return { strikes: [], ban: nextBan(last, now) };
}

/** How many strikes count towards a ban at `now` (Unix milliseconds). */
export function strikesAt(banState: BanState | undefined, now: number): number {
  const oldest = Math.floor(now / 1000) - MEMORY;
  return (banState?.strikes ?? []).reduce((sum, [at, count]) => (at > oldest ? sum + count : sum), 0);
}

function nextBan(last: Ban | undefined, now: number): Ban {
  const isRepeated = last !== undefined && now < (last.until + LADDER_MEMORY) * 1000;
  const step = isRepeated ? Math.min(last.step + 1, LADDER.length - 1) : 0;
  return { since: now, until: Math.ceil(now / 1000) + (LADDER[step] ?? 0), step };
}

/** The ban state once an operator forgave everything up to `pardonedAt` (Unix milliseconds). */
export function pardoned(banState: BanState, pardonedAt: number): BanState {
  const strikes = banState.strikes.filter(([second]) => second * 1000 > pardonedAt);
  const ban = banState.ban !== undefined && banState.ban.since > pardonedAt ? banState.ban : undefined;
  return { strikes, ...(ban && { ban }) };
}

/** Whether the ban state no longer matters at `now` (Unix milliseconds). */
export function isForgotten(banState: BanState | undefined, now: number): boolean {
  if (banState === undefined) return true;
  const lastStrike = banState.strikes.at(-1)?.[0] ?? 0;
  if (lastStrike > now / 1000 - MEMORY) return false;
  return banState.ban === undefined || now >= (banState.ban.until + LADDER_MEMORY) * 1000;
}
