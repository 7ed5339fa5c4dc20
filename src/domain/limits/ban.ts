/** A key is refused from `since` (Unix ms) to `until` (Unix seconds). `step` is the index of its duration. */
export type Ban = { since: number; until: number; step: number };

/**
 * The violations of a key: its strikes of the last ten minutes, as pairs of a Unix second and the strikes in it, oldest
 * first; and its last ban, which is kept as long as it makes the next one longer.
 */
export type BanState = { strikes: [second: number, count: number][]; ban?: Ban };

/** A refusal is a strike from this many milliseconds after the first refusal of its window. */
const BURST_GRACE = 2_000;
/** Strikes count for this many seconds. */
const STRIKE_LIFETIME = 600;
const MIN_STRIKES = 100;
/** The duration of the first, second, … ban, in seconds. Further bans have the last one. */
const BAN_DURATIONS = [300, 900, 3_600, 86_400];
/** A ban that begins within this many seconds of the last one's end has the next duration. */
const ESCALATION_PERIOD = 86_400;

/** Whether a refusal at `now` is a strike. `refusedAt`: the first refusal of its window (both Unix milliseconds). */
export function isStrike(refusedAt: number, now: number): boolean {
  return now - refusedAt >= BURST_GRACE;
}

/** The ban that covers `now` (Unix milliseconds), if any. */
export function banAt(banState: BanState | undefined, now: number): Ban | undefined {
  const ban = banState?.ban;
  return ban !== undefined && now < ban.until * 1000 ? ban : undefined;
}

/** Adds a strike at `now`. A ban begins with the 100th, or the `perMinute`-th if that is more. */
export function strike(banState: BanState | undefined, perMinute: number, now: number): BanState {
  const second = Math.floor(now / 1000);
  const strikes = (banState?.strikes ?? []).filter(([at]) => at > second - STRIKE_LIFETIME && at < second);
  const inThisSecond = banState?.strikes.find(([at]) => at === second)?.[1] ?? 0;
  strikes.push([second, inThisSecond + 1]);
  const total = strikes.reduce((sum, [, count]) => sum + count, 0);
  const last = banState?.ban;
  if (total < Math.max(MIN_STRIKES, perMinute)) return { strikes, ...(last && { ban: last }) };
  return { strikes: [], ban: nextBan(last, now) };
}

/** The number of strikes that count towards a ban at `now` (Unix milliseconds). */
export function strikesAt(banState: BanState | undefined, now: number): number {
  const oldest = Math.floor(now / 1000) - STRIKE_LIFETIME;
  return (banState?.strikes ?? []).reduce((sum, [at, count]) => (at > oldest ? sum + count : sum), 0);
}

/** The ban that begins at `now` (Unix milliseconds) when the key had none before. */
export function firstBan(now: number): Ban {
  return nextBan(undefined, now);
}

function nextBan(last: Ban | undefined, now: number): Ban {
  const isRepeated = last !== undefined && now < (last.until + ESCALATION_PERIOD) * 1000;
  const step = isRepeated ? Math.min(last.step + 1, BAN_DURATIONS.length - 1) : 0;
  return { since: now, until: Math.ceil(now / 1000) + (BAN_DURATIONS[step] ?? 0), step };
}

/** Removes strikes and bans from before `pardonedAt` (Unix milliseconds). */
export function pardoned(banState: BanState, pardonedAt: number): BanState {
  const strikes = banState.strikes.filter(([second]) => second * 1000 > pardonedAt);
  const ban = banState.ban !== undefined && banState.ban.since > pardonedAt ? banState.ban : undefined;
  return { strikes, ...(ban && { ban }) };
}

/** Whether the ban state has no effect any more at `now` (Unix milliseconds). */
export function isForgotten(banState: BanState | undefined, now: number): boolean {
  if (banState === undefined) return true;
  const lastStrike = banState.strikes.at(-1)?.[0] ?? 0;
  if (lastStrike > now / 1000 - STRIKE_LIFETIME) return false;
  return banState.ban === undefined || now >= (banState.ban.until + ESCALATION_PERIOD) * 1000;
}
