import type { BanState } from "../../domain/limits/ban.ts";
import { decisionOf, type LimitState } from "../../domain/limits/limit-state.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { Decision, Limiter, LimitStatus, Outcome, Subject } from "../../domain/limits/limiter.ts";
import type { Connection, Taken } from "./connect.ts";

/** The limits of all keys, counted in Redis for all nodes: one script a request, by Redis's clock. */
export class RedisLimiter implements Limiter {
  readonly #redis: Connection;
  readonly #clock: () => number | "";

  /** `clock`: in tests, the time (Unix ms) in place of Redis's own. */
  constructor(redis: Connection, clock: () => number | "" = () => "") {
    this.#redis = redis;
    this.#clock = clock;
  }

  /** @throws whatever keeps Redis from answering */
  async take({ id, limits, pardonedAt = 0 }: Subject): Promise<Decision> {
    const taken = await this.#redis.take(keyOf(id), limits.perMinute, limits.perDay, pardonedAt, this.#clock());
    return decisionFrom(taken, limits);
  }

  /** The fields and the moment are read at once. @throws whatever keeps Redis from answering */
  async status(subject: Subject): Promise<LimitStatus> {
    const [now, ...kept] = await this.#redis.standing(keyOf(subject.id), this.#clock());
    return limitStatusOf(keptUsage(fieldsOf(kept)), subject, now);
  }

  /** What is kept of a key's requests. @throws whatever keeps Redis from answering */
  async limitStateOf(keyId: string): Promise<LimitState | undefined> {
    return keptUsage(await this.#redis.hgetall(keyOf(keyId)));
  }
}

/** All that is kept of an API key is under one name, and so in one slot of a cluster. */
function keyOf(id: string): string {
  return `petstore:{${id}}`;
}

function decisionFrom(taken: Taken, limits: Subject["limits"]): Decision {
  const [outcome, now, minuteCount, minuteEnd, dayCount, dayEnd, bannedUntil, begins] = taken;
  const usage = { minute: { count: minuteCount, resetAt: minuteEnd }, day: { count: dayCount, resetAt: dayEnd } };
  const ban = bannedUntil === 0 ? undefined : { until: bannedUntil, begins: begins === 1 };
  return decisionOf(outcome as Outcome, usage, limits, now, ban);
}

function fieldsOf(namesAndValues: string[]): Record<string, string> {
  const names = namesAndValues.filter((_, i) => i % 2 === 0);
  return Object.fromEntries(names.map((name, i) => [name, namesAndValues[2 * i + 1] ?? ""]));
}

/** The fields are those that the script writes. */
function keptUsage({ mc, mr, mf, dc, dr, df, s, bs, bu, bk }: Record<string, string>): LimitState | undefined {
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
