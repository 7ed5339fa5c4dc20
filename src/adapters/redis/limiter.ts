import { ReplyError } from "ioredis";
import type { LimitServer, SharedLimiter } from "../../domain/limits/limiter.ts";
import {
  type BanState,
  type Decision,
  decisionOf,
  type LimitState,
  type LimitStatus,
  limitStatusOf,
  type Outcome,
  type Subject,
} from "../../domain/limits/limits.ts";
import type { Connection, TakeReply } from "./connect.ts";

/** Counts the limits of keys in Redis for all nodes: one script per request, with the clock of Redis. */
export class RedisLimiter implements SharedLimiter, LimitServer {
  readonly #redis: Connection;
  readonly #clock: () => number | "";

  /** `clock`: for tests, the time (Unix ms) instead of Redis's clock. */
  constructor(redis: Connection, clock: () => number | "" = () => "") {
    this.#redis = redis;
    this.#clock = clock;
  }

  get server(): LimitServer {
    return this;
  }

  /** @throws an error of ioredis when Redis does not answer */
  async take({ id, limits, pardonedAt = 0 }: Subject): Promise<Decision> {
    const reply = await this.#redis.take(keyOf(id), limits.perMinute, limits.perDay, pardonedAt, this.#clock());
    return decisionFrom(reply, limits);
  }

  /**
   * Counts a request on the server of this key, without changing its limits. Unlike PING it fails when the server is full
   * or read-only. @throws an error of ioredis
   */
  async probe(keyId = ""): Promise<void> {
    await this.#redis.take(`${keyOf(keyId)}:probe`, 1, 1, 0, this.#clock());
  }

  /** The clock of Redis, in Unix ms. @throws an error of ioredis when Redis does not answer */
  async now(): Promise<number> {
    const [seconds = 0, microseconds = 0] = await this.#redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /** Reads the limit state and the time atomically. @throws an error of ioredis when Redis does not answer */
  async status(subject: Subject): Promise<LimitStatus> {
    const [now, ...fields] = await this.#redis.readLimitState(keyOf(subject.id), this.#clock());
    return limitStatusOf(limitStateFrom(fieldsOf(fields)), subject, now);
  }

  /** Only Redis knows. */
  refusalOf(): undefined {}

  /** Whether Redis has answered with an error: it works, but not for this command. */
  isReply(error: unknown): boolean {
    return error instanceof ReplyError;
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** Returns the limit state of a key. @throws an error of ioredis when Redis does not answer */
  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    return limitStateFrom(await this.#redis.hgetall(keyOf(keyId)));
  }
}

/** All data of an API key has one Redis key, and so one slot of a cluster. */
function keyOf(id: string): string {
  return `petstore:{${id}}`;
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

/** Parses the fields that the script TAKE writes. */
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
