import { Cluster, ReplyError } from "ioredis";
import type { KeyHandover, SeenState } from "../../domain/limits/fallback-counts.ts";
import type { LimitServer, SharedLimiter } from "../../domain/limits/limiter.ts";
import {
  type Ban,
  type BanState,
  type Decision,
  decisionOf,
  type LimitState,
  type LimitStatus,
  limitStatusOf,
  type Outcome,
  type Subject,
  type Window,
} from "../../domain/limits/limits.ts";
import { COMMAND_TIMEOUT, type RedisConnection, type TakeReply } from "./connect.ts";
import { EvictionCheck } from "./eviction.ts";

/** Counts the limits of keys in Redis for all nodes: one script per decision, with the clock of Redis. */
export class RedisLimiter implements SharedLimiter, LimitServer {
  readonly #redis: RedisConnection;
  readonly #clock: () => number | "";
  /** How far the clock of Redis is ahead of the monotonic clock of this process, in ms. */
  #ahead: number | undefined;
  #onLoss = () => {};
  readonly #eviction: EvictionCheck;

  /** `clock`: for tests, the time (Unix ms) instead of Redis's clock. */
  constructor(redis: RedisConnection, clock: () => number | "" = () => "") {
    this.#redis = redis;
    this.#clock = clock;
    this.#eviction = new EvictionCheck(redis, (id) => this.shardOf(id), keyOf);
  }

  get server(): LimitServer {
    return this;
  }

  /** @throws an error of ioredis when Redis does not answer */
  async take(subject: Subject, cost = 1, seen?: SeenState): Promise<Decision> {
    return decisionFrom(await this.#take(subject, { cost, seen }), subject.limits);
  }

  /** @throws an error of ioredis when Redis does not answer */
  async reconcile({ subject, seen, handover }: KeyHandover): Promise<Decision> {
    const text = `${handover.process} ${handover.number} ${textOf(handover)}`;
    return decisionFrom(await this.#take(subject, { cost: "", seen, handover: text }), subject.limits);
  }

  /** @throws an error of ioredis when Redis does not answer */
  async restore(keyId: string, seen: SeenState): Promise<void> {
    await this.#take({ id: keyId, limits: { perMinute: 1, perDay: 1 } }, { cost: "", seen });
  }

  onLoss(listener: () => void): void {
    this.#onLoss = listener;
  }

  /**
   * Counts a request on the server of this key, without changing its limits. Unlike PING it fails when the server is full
   * or read-only. @throws an error of ioredis
   */
  async probe(keyId = ""): Promise<void> {
    await this.#take({ id: keyId, limits: { perMinute: 1, perDay: 1 } }, { suffix: ":probe" });
  }

  /** The clock of Redis, in Unix ms. @throws an error of ioredis when Redis does not answer */
  async now(): Promise<number> {
    const [seconds = 0, microseconds = 0] = await this.#redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  get eviction(): string | undefined {
    return this.#eviction.reason;
  }

  checkEviction(): Promise<void> {
    return this.#eviction.run();
  }

  /** Reads the limit state and the time atomically. @throws an error of ioredis when Redis does not answer */
  async status(subject: Subject): Promise<LimitStatus> {
    const [now, ...fields] = await this.#redis.readLimitState(keyOf(subject.id), this.#clock());
    return limitStatusOf(limitStateFrom(fieldsOf(fields)), subject, now);
  }

  /** Only Redis knows. */
  stateOf(): undefined {}

  /** The address of the primary of a cluster that has the key. */
  shardOf(keyId: string): string {
    if (!(this.#redis instanceof Cluster)) return "";
    return this.#redis.slots[slotOf(keyId)]?.[0] ?? "";
  }

  /** Whether Redis has answered with an error: it works, but not for this command. */
  isReply(error: unknown): boolean {
    return error instanceof ReplyError;
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #take({ id, limits, pardonedAt = 0 }: Subject, options: TakeOptions): Promise<TakeReply> {
    const { cost = 1, seen, handover = "", suffix = "" } = options;
    const { perMinute, perDay } = limits;
    const clock = this.#clock();
    const sentAt = performance.now();
    // Later nobody waits for an answer, and the request was counted elsewhere.
    const deadline = this.#ahead === undefined || clock !== "" ? "" : Math.ceil(sentAt + this.#ahead) + COMMAND_TIMEOUT;
    const seenText = seen === undefined ? "" : textOf(seen);
    const key = `${keyOf(id)}${suffix}`;
    const reply = await this.#redis.take(key, perMinute, perDay, pardonedAt, clock, cost, deadline, seenText, handover);
    this.#ahead = reply[1] - performance.now();
    if (reply.at(-1) === 1) this.#onLoss();
    if (reply[0] !== "late") return reply;
    // The clock of Redis was set.
    if (performance.now() - sentAt < COMMAND_TIMEOUT) return this.#take({ id, limits, pardonedAt }, options);
    throw new Error("Redis received the request too late");
  }

  /** Returns the limit state of a key. @throws an error of ioredis when Redis does not answer */
  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    return limitStateFrom(await this.#redis.hgetall(keyOf(keyId)));
  }
}

/** With a cost of "" nothing is asked for. */
type TakeOptions = { cost?: number | ""; seen?: SeenState | undefined; handover?: string; suffix?: string };

/** The numbers of windows and a ban, as the script TAKE reads them. */
function textOf({ minute, day, ban }: { minute: Window; day: Window; ban?: Ban }): string {
  const { since = 0, until = 0, step = 0 } = ban ?? {};
  return `${minute.count} ${minute.resetAt} ${day.count} ${day.resetAt} ${since} ${until} ${step}`;
}

/** All data of an API key has one Redis key, and so one slot of a cluster. */
function keyOf(id: string): string {
  return `petstore:{${id}}`;
}

/** The slot of a key in a cluster: CRC-16/XMODEM of what is between the braces (Redis Cluster Specification). */
export function slotOf(id: string): number {
  let crc = 0;
  for (const byte of Buffer.from(id)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  }
  return crc & 0x3fff;
}

function decisionFrom(reply: TakeReply, limits: Subject["limits"]): Decision {
  const [outcome, now, minuteCount, minuteEnd, dayCount, dayEnd, bannedUntil, begins] = reply;
  const state = { minute: { count: minuteCount, resetAt: minuteEnd }, day: { count: dayCount, resetAt: dayEnd } };
  const ban = bannedUntil === 0 ? undefined : { until: bannedUntil, begins: begins === 1 };
  return decisionOf(outcome as Outcome, state, limits, now, ban);
}

function fieldsOf(namesAndValues: string[]): Record<string, string> {
  const names = namesAndValues.filter((_, i) => i % 2 === 0);
  return Object.fromEntries(names.map((name, i) => [name, namesAndValues[2 * i + 1] ?? ""]));
}

function limitStateFrom({ mc, mr, mf, dc, dr, df, s, bs, bu, bk }: Record<string, string>): LimitState | undefined {
  if (mr === undefined) return undefined;
  const window = (count?: string, resetAt?: string, refusedAt?: string) => ({
    count: Number(count),
    resetAt: Number(resetAt),
    ...(refusedAt !== undefined && { refusedAt: Number(refusedAt) }),
  });
  const strikes = (s ?? "").split(",").filter(Boolean).map(pairOf);
  const ban = bs === undefined ? {} : { ban: { since: Number(bs), until: Number(bu), step: Number(bk) } };
  return { minute: window(mc, mr, mf), day: window(dc, dr, df), banState: { strikes, ...ban } };
}

function pairOf(text: string): BanState["strikes"][number] {
  const [second, count] = text.split(":");
  return [Number(second), Number(count)];
}
