import { LruMap } from "../lru-map.ts";
import {
  type Ban,
  current,
  DAY,
  type Decision,
  decisionOf,
  type LimitState,
  type LimitStatus,
  type Limits,
  limitStatusOf,
  MINUTE,
  type Subject,
  secondsUntil,
  take,
  type Window,
  type WindowQuota,
  withPardon,
} from "./limits.ts";

/** The windows and the ban of a key, as a process last saw them at the server that counts for all. */
export type SeenState = { minute: Window; day: Window; ban?: Ban };

/**
 * What a process counted alone: in each window so many requests, until the window ends, and a ban that began. A count is
 * negative if the server counted requests that the process refused, because the answer came too late. Of two with the same `process` the later one has the larger `number`.
 */
export type Handover = { process: string; number: number; minute: Window; day: Window; ban?: Ban };

/** What the server is to learn of a key. */
export type KeyHandover = { subject: Subject; seen: SeenState | undefined; handover: Handover };

/** After so many ms alone, a process no longer uses all that it saw remaining. */
const GRACE = 10_000;
/** The longest wait that a process asks for because it counts alone, in seconds. */
const LONGEST_WAIT = 5;
/** The last seen states take about 500 bytes each. */
const MOST_SEEN = 100_000;

const NONE: Window = { count: 0, resetAt: 0 };

/** What is known of a key that was counted alone. */
type Alone = {
  subject: Subject;
  seen: SeenState | undefined;
  /** The seen state, with what was counted alone since. */
  state: LimitState;
  /** What was counted alone, and is in no handover yet. */
  counted: Omit<Handover, "process" | "number">;
  /** Repeated until the server accepts it. */
  handover?: Handover;
  /** When a burst is over, in ms: the theoretical arrival time of the generic cell rate algorithm. */
  arrival: number;
  /** How far each window may be used after the grace period that began at `since`. */
  shares: { since: number; minute?: Window; day?: Window };
};

function tenthOf(limit: number): number {
  return Math.max(1, Math.floor(limit / 10));
}

/**
 * Counts the requests of keys in this process while the server that counts for all is away, from what the process last saw
 * there (docs/reliability.md, Limits while Redis is away). Times are Unix ms of this process; windows follow the server's clock.
 */
export class FallbackCounts {
  readonly #process: string;
  readonly #nodes: number;
  readonly #seen: LruMap<SeenState>;
  readonly #alone = new Map<string, Alone>();
  /** How far the clock of the server is ahead of this one, in ms. */
  #ahead = 0;
  #handovers = 0;

  /** `process`: a name that no other process has. `nodes`: how many nodes share the limits. */
  constructor({ process, nodes, mostSeen = MOST_SEEN }: { process: string; nodes: number; mostSeen?: number }) {
    this.#process = process;
    this.#nodes = nodes;
    this.#seen = new LruMap(mostSeen);
  }

  /** Remembers a decision of the server that has just come. */
  observe(id: string, decision: Decision, now: number): void {
    this.#ahead = decision.now - now;
    this.#remember(id, seenAfter(this.seenOf(id), decision), decision.now);
  }

  /** Remembers a decision on a request that was decided alone meanwhile. The server has counted its cost: take that back here. */
  observeLate(id: string, decision: Decision, cost = 1): void {
    const { outcome, windows, now } = decision;
    const counted = this.#alone.get(id)?.counted;
    if (counted !== undefined && outcome === "allowed") {
      counted.minute = withLess(counted.minute, windowOf(windows[0]), now, cost);
      counted.day = withLess(counted.day, windowOf(windows[1]), now, cost);
    }
    this.#remember(id, seenAfter(this.seenOf(id), decision), now);
  }

  /** Remembers what is known of a key without the server. */
  learn(id: string, { minute, day, banState }: LimitState, clock: number): void {
    this.#remember(id, { minute, day, ...(banState?.ban && { ban: banState.ban }) }, clock + this.#ahead);
  }

  /** What was last seen of a key. The server must not know less. */
  seenOf(id: string): SeenState | undefined {
    return this.#seen.get(id) ?? this.#alone.get(id)?.seen;
  }

  /** What was seen of all keys and has not ended. It may change meanwhile. */
  *seenStates(clock: number): Generator<[id: string, SeenState]> {
    for (const [id, seen] of this.#seen) {
      const now = (clock + this.#ahead) / 1000;
      if (Math.max(seen.minute.resetAt, seen.day.resetAt, seen.ban?.until ?? 0) > now) yield [id, seen];
    }
  }

  /** Decides on a request, alone since `since`. A refusal that only this explains has a short `retryAfter`, and is no strike. */
  take(subject: Subject, since: number, clock: number, cost = 1): Decision {
    const now = clock + this.#ahead;
    const alone = this.#aloneOf(subject);
    const { state, decision } = take(alone.state, subject, now, cost);
    if (decision.outcome !== "allowed") {
      alone.state = state;
      if (decision.beginsBan && state.banState?.ban) alone.counted.ban = state.banState.ban;
      return decision;
    }
    const wait = this.#waitOf(alone, state, { limits: subject.limits, since, clock, now, cost });
    if (wait !== undefined) return wait;
    alone.state = state;
    const { perMinute } = subject.limits;
    if (cost > 0) {
      alone.arrival = Math.max(alone.arrival, clock) + Math.min(cost, tenthOf(perMinute)) * intervalOf(subject.limits);
    }
    alone.counted.minute = withMore(alone.counted.minute, state.minute, cost);
    alone.counted.day = withMore(alone.counted.day, state.day, cost);
    return decision;
  }

  status(subject: Subject, clock: number): LimitStatus {
    const { id } = subject;
    const state = this.#alone.get(id)?.state ?? stateOf(this.seenOf(id));
    return limitStatusOf(state, subject, clock + this.#ahead);
  }

  /** What the server is to learn before it decides for this key; the same until it is accepted. Undefined if nothing. */
  handoverOf(id: string): KeyHandover | undefined {
    const alone = this.#alone.get(id);
    if (alone === undefined || !hasOpenCounts(alone)) return undefined;
    const { subject, seen } = alone;
    if (alone.handover === undefined) {
      this.#handovers += 1;
      alone.handover = { process: this.#process, number: this.#handovers, ...alone.counted };
      alone.counted = { minute: NONE, day: NONE };
    }
    return { subject, seen, handover: alone.handover };
  }

  /** The server has this handover, and decides so. */
  accept(id: string, { number }: Handover, decision: Decision, now: number): void {
    const alone = this.#alone.get(id);
    if (alone?.handover?.number === number) delete alone.handover;
    this.observe(id, decision, now);
  }

  /** Whether the server is to learn something of this key. */
  isOpen(id: string): boolean {
    if (this.#alone.size === 0) return false;
    const alone = this.#alone.get(id);
    return alone !== undefined && hasOpenCounts(alone);
  }

  /** The keys of which the server is to learn something. */
  openKeys(): string[] {
    return [...this.#alone].filter(([, alone]) => hasOpenCounts(alone)).map(([id]) => id);
  }

  /** Forgets what was counted alone and has no effect any more. */
  sweep(clock: number): void {
    const now = (clock + this.#ahead) / 1000;
    for (const [id, alone] of this.#alone) {
      const { minute, day, banState } = alone.state;
      const isOver = minute.resetAt <= now && day.resetAt <= now && (banState?.ban?.until ?? 0) <= now;
      if (isOver || (!hasOpenCounts(alone) && alone.arrival <= clock)) this.#alone.delete(id);
    }
  }

  #remember(id: string, seen: SeenState, now: number): void {
    this.#seen.set(id, seen);
    if (this.#alone.size === 0) return;
    const alone = this.#alone.get(id);
    if (alone === undefined) return;
    alone.seen = seen;
    alone.state = withOpenCounts(alone, now);
  }

  #aloneOf(subject: Subject): Alone {
    const known = this.#alone.get(subject.id);
    if (known !== undefined) {
      known.subject = subject;
      return known;
    }
    const seen = this.#seen.get(subject.id);
    const alone: Alone = {
      subject,
      seen,
      state: stateOf(seen) ?? { minute: NONE, day: NONE },
      counted: { minute: NONE, day: NONE },
      arrival: 0,
      shares: { since: 0 },
    };
    this.#alone.set(subject.id, alone);
    return alone;
  }

  /** The refusal of a request that the limits allow, if counting alone does not. `after`: the state after the request. */
  #waitOf(alone: Alone, after: LimitState, moment: Moment): Decision | undefined {
    const { limits, since, clock, now, cost } = moment;
    if (alone.shares.since !== since) alone.shares = { since };
    const { minute, day } = after;
    const grace = { begins: since + this.#ahead, isOver: clock - since >= GRACE };
    const unchanged = { minute: before(minute, cost), day: before(day, cost) };
    const needed = Math.max(1, cost);
    const isMinuteOver =
      unchanged.minute.count + needed > this.#most(alone, "minute", unchanged.minute, limits.perMinute, grace);
    const isDayOver = unchanged.day.count + needed > this.#most(alone, "day", unchanged.day, limits.perDay, grace);
    // One that counts as more than a burst passes once so many single requests would have passed.
    const beyondBurst = (needed - tenthOf(limits.perMinute)) * intervalOf(limits);
    const pause = Math.max(alone.arrival, since) + beyondBurst - clock;
    if (!isMinuteOver && !isDayOver && pause <= 0) return undefined;
    const end = isDayOver ? day.resetAt : minute.resetAt;
    const seconds = isMinuteOver || isDayOver ? secondsUntil(end, now) : Math.ceil(pause / 1000);
    return {
      ...decisionOf(isDayOver ? "quota_exceeded" : "rate_limit_exceeded", unchanged, limits, now, undefined),
      retryAfter: Math.min(LONGEST_WAIT, seconds),
    };
  }

  /** How many requests a window may have that has `count` now. */
  #most(alone: Alone, name: WindowQuota["name"], window: Window, limit: number, { begins, isOver }: Grace): number {
    const { count, resetAt } = window;
    const seenEnd = alone.seen?.[name].resetAt ?? 0;
    const openedBefore = resetAt - (name === "minute" ? MINUTE : DAY) + 1;
    // The next window of a key that has just been seen: who sends steadily is not refused because a window ends meanwhile.
    const isNext = seenEnd * 1000 > begins - GRACE && openedBefore * 1000 <= begins + GRACE;
    if (seenEnd !== resetAt && !isNext) return Math.ceil(limit / this.#nodes);
    if (!isOver) return limit;
    const known = alone.shares[name];
    if (known?.resetAt === resetAt) return known.count;
    const share = Math.max(Math.floor((limit - count) / this.#nodes), tenthOf(limit));
    alone.shares[name] = { count: count + share, resetAt };
    return count + share;
  }
}

type Moment = { limits: Limits; since: number; clock: number; now: number; cost: number };
/** The first ten seconds alone: `begins` is Unix ms of the server. */
type Grace = { begins: number; isOver: boolean };

/** The ms between two requests at a plan's rate. */
function intervalOf({ perMinute }: Limits): number {
  return (MINUTE * 1000) / perMinute;
}

function hasOpenCounts({ counted, handover }: Alone): boolean {
  return handover !== undefined || counted.minute.count !== 0 || counted.day.count !== 0 || counted.ban !== undefined;
}

/** A decision shows both windows, or a ban instead of them. */
function seenAfter(before: SeenState | undefined, { outcome, windows, shown, now, beginsBan }: Decision): SeenState {
  const { minute = NONE, day = NONE, ban } = before ?? {};
  if (outcome === "key_banned") {
    const until = shown.resetAt;
    const isKnown = ban?.until === until && !beginsBan;
    return { minute, day, ban: isKnown ? ban : { since: now, until, step: 0 } };
  }
  const [byMinute, byDay] = windows;
  return { minute: windowOf(byMinute), day: windowOf(byDay) };
}

function windowOf(quota: WindowQuota | undefined): Window {
  return quota === undefined ? NONE : { count: quota.limit - quota.remaining, resetAt: quota.resetAt };
}

function stateOf(seen: SeenState | undefined): LimitState | undefined {
  if (seen === undefined) return undefined;
  const { minute, day, ban } = seen;
  return { minute, day, ...(ban && { banState: { strikes: [], ban } }) };
}

/** What was seen, and what was counted alone and the server has not accepted, at `now` (Unix ms of the server). */
function withOpenCounts({ seen, state, counted, handover }: Alone, now: number): LimitState {
  const open = handover === undefined ? [counted] : [handover, counted];
  const sum = (name: WindowQuota["name"]) => {
    const windows = open.map((counts) => counts[name]).filter(({ resetAt }) => resetAt * 1000 > now);
    return windows.reduce((sum, window) => plus(sum, window, now), seen?.[name] ?? NONE);
  };
  const ban = seen?.ban ?? counted.ban ?? handover?.ban;
  const banState = { strikes: state.banState?.strikes ?? [], ...(ban && { ban }) };
  const isPlain = ban === undefined && banState.strikes.length === 0;
  return { minute: sum("minute"), day: sum("day"), ...(!isPlain && { banState }) };
}

/** A window with the requests of another one, which is open; that one itself if the first has ended. */
function plus(window: Window, other: Window, now: number): Window {
  return window.resetAt * 1000 > now ? { ...window, count: window.count + other.count } : other;
}

function withMore({ count, resetAt }: Window, open: Window, cost: number): Window {
  return { count: resetAt === open.resetAt ? count + cost : cost, resetAt: open.resetAt };
}

/** `open`: the window at the server, which counts if nothing was counted alone. */
function withLess(window: Window, open: Window, now: number, cost: number): Window {
  const { count, resetAt } = window.resetAt * 1000 > now ? window : { count: 0, resetAt: open.resetAt };
  return { count: count - cost, resetAt };
}

function before({ count, resetAt }: Window, cost: number): Window {
  return { count: count - cost, resetAt };
}

/**
 * The limit state of a key after the server has learned at `now` (Unix ms) what a process knows. What it has seen is a floor:
 * a server that forgot its counts has them again. A handover is added, unless its window has ended. Give each handover
 * once, with what was seen before it. The Redis script does the same.
 */
export function reconciled(
  before: LimitState | undefined,
  { subject, seen, handover }: { subject: Subject; seen?: SeenState | undefined; handover?: Handover | undefined },
  now: number,
): LimitState {
  const windows = {
    minute: reconciledWindow(before?.minute, seen?.minute, handover?.minute, MINUTE, now),
    day: reconciledWindow(before?.day, seen?.day, handover?.day, DAY, now),
  };
  let banState = withPardon(before?.banState, subject.pardonedAt);
  for (const ban of [seen?.ban, handover?.ban]) {
    if (ban === undefined || ban.until * 1000 <= now || ban.since <= (subject.pardonedAt ?? 0)) continue;
    if ((banState?.ban?.until ?? 0) < ban.until) banState = { strikes: banState?.strikes ?? [], ban };
  }
  return { ...windows, ...(banState && { banState }) };
}

function reconciledWindow(
  before: Window | undefined,
  seen: Window | undefined,
  handover: Window | undefined,
  seconds: number,
  now: number,
): Window {
  let window = current(before, seconds, now);
  let isNew = window !== before;
  if (seen !== undefined && current(seen, seconds, now) === seen) {
    const { count, resetAt } = seen;
    // Only a server that forgot a window has one that ends later.
    if (resetAt < window.resetAt) window = { ...window, count: window.count + count, resetAt };
    else window = { ...window, count: Math.max(window.count, count) };
    isNew = false;
  }
  if (handover !== undefined && handover.count !== 0 && current(handover, seconds, now) === handover) {
    const resetAt = isNew ? Math.min(window.resetAt, handover.resetAt) : window.resetAt;
    window = { ...window, count: Math.max(0, window.count + handover.count), resetAt };
  }
  return window;
}
