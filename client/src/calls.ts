import { DeprecationWatch } from "./deprecation.ts";
import { PetstoreError, RateLimitError, unexpected } from "./errors.ts";
import type { Operation } from "./events.ts";
import { type Answer, exchange } from "./exchange.ts";
import { parse } from "./int64.ts";
import { isOfAddress, type RateLimits } from "./limits.ts";
import type { Settings } from "./options.ts";
import { refusalOf } from "./refusals.ts";
import { backOff, isSuccess, isWorthRetrying, retryAfterIn } from "./retry.ts";
import { Standing } from "./standing.ts";
import { Throttle } from "./throttle.ts";

/** One call of an operation. A creation has a body, and a key under which it happens once however often it is sent. */
export type Call = {
  operation: Operation;
  path: string;
  body?: string;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** What a call came to: the value of its answer's body, and the headers. */
export type Result = { value: unknown; headers: Headers; requestId: string };

/** Makes calls: waits for the limits, sends, tries again, and turns refusals into errors. */
export class Calls {
  readonly #settings: Settings;
  readonly #standing = new Standing();
  readonly #throttle: Throttle;
  readonly #deprecations: DeprecationWatch;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#throttle = new Throttle(this.#standing, settings.clock, settings.onWait);
    this.#deprecations = new DeprecationWatch(settings.onDeprecation);
  }

  get limits(): RateLimits {
    return this.#standing.limits;
  }

  /** @throws PetstoreError when it is refused, or fails for good; the signal's reason when it is aborted */
  async make(call: Call): Promise<Result> {
    const { clock, budget, maxRetries, onRetry } = this.#settings;
    const deadline = clock.now() + budget;
    const id = randomId();
    for (let retry = 1; ; retry++) {
      try {
        const idempotencyKey = call.idempotencyKey ?? id;
        return await this.#attempt({ ...call, idempotencyKey }, `${id}-${retry}`, deadline);
      } catch (error) {
        if (!(error instanceof PetstoreError) || retry > maxRetries || !isWorthRetrying(error)) throw error;
        const delay = (error.retryAfter ?? 0) * 1000 + backOff(retry, clock.random());
        if (clock.now() + delay > deadline) throw error;
        onRetry?.({ operation: call.operation, retry, delay, error });
        await clock.sleep(delay, call.signal);
      }
    }
  }

  async #attempt(call: Call, requestId: string, deadline: number): Promise<Result> {
    const { waitForLimits } = this.#settings;
    if (!waitForLimits) return this.#send(call, requestId, deadline);
    const wait = await this.#throttle.enter(deadline, call.signal);
    if (wait > 0) throw this.#heldBack(wait, requestId);
    try {
      return await this.#send(call, requestId, deadline);
    } finally {
      this.#throttle.leave();
    }
  }

  async #send(call: Call, requestId: string, deadline: number): Promise<Result> {
    const { fetch, baseUrl, clock } = this.#settings;
    const sent = clock.now();
    const timeout = Math.min(this.#settings.timeout, Math.max(0, deadline - sent));
    const init = this.#requestOf(call, requestId);
    const { status, headers, text } = await exchange(fetch, {
      url: baseUrl + call.path,
      init,
      requestId,
      timeout,
      signal: call.signal,
    }).catch((error) => {
      this.#standing.noteLost(clock.now());
      throw error;
    });
    const now = clock.now();
    // With 401 it is the address that the limits are of, not the key; with 503 it may be.
    if (status !== 401 && !isOfAddress(headers)) this.#standing.note(headers, sent, now);
    this.#deprecations.look(call.operation, headers);
    if (!isSuccess(status)) {
      throw refusalOf(text, { status, requestId, retryAfter: retryAfterIn(headers, now), limits: this.limits });
    }
    return { value: bodyValue({ status, headers, text }, requestId), headers, requestId };
  }

  #requestOf({ body, idempotencyKey = "" }: Call, requestId: string): RequestInit {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#settings.apiKey}`,
      "X-Request-Id": requestId,
    };
    if (body === undefined) return { method: "GET", headers };
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = idempotencyKey;
    return { method: "POST", headers, body };
  }

  /** The error of a request that was not sent, because it would have had to wait too long. */
  #heldBack(wait: number, requestId: string): RateLimitError {
    const retryAfter = Math.ceil(wait / 1000);
    const code = this.#standing.isDayUsedUp ? "quota_exceeded" : "rate_limit_exceeded";
    const message = `The limits are used up for ${retryAfter} more seconds, longer than this call may take.`;
    return new RateLimitError(message, { code, status: 429, requestId, retryAfter, limits: this.limits });
  }
}

/** @throws ConnectionError when only a part of the answer arrived */
function bodyValue({ status, text }: Answer, requestId: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw unexpected("The answer is not whole, or not the service's.", status, requestId, cause);
  }
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is missing where a page came without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
