import type { Decision, Limiter, Outcome, Subject } from "../limits/limiter.ts";
import { decisionOf } from "../limits/usage.ts";
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
}

/** All that is kept of an API key is under one name, and so in one slot of a cluster. */
function keyOf(id: string): string {
  return `petstore:{${id}}`;
}

function decisionFrom(taken: Taken, limits: Subject["limits"]): Decision {
  const [outcome, now, minuteCount, minuteEnd, dayCount, dayEnd, bannedUntil] = taken;
  const usage = { minute: { count: minuteCount, resetAt: minuteEnd }, day: { count: dayCount, resetAt: dayEnd } };
  return decisionOf(outcome as Outcome, usage, limits, now, bannedUntil);
}
