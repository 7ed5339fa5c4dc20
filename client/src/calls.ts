import { DeprecationReporter } from "./deprecation.ts";
import { errorOf } from "./error-response.ts";
import { PetstoreError, RateLimitError, unexpected } from "./errors.ts";
import type { Operation } from "./events.ts";
import { parse } from "./int64.ts";
import { LimitTracker } from "./limit-tracker.ts";
import { isOfAddress, type RateLimits } from "./limits.ts";
import type { Settings } from "./options.ts";
import { backOff, isSuccess, isWorthRetrying, retryAfterIn } from "./retry.ts";
import { type CompleteResponse, send } from "./send.ts";
import { Throttle } from "./throttle.ts";

/** One call of an operation. A creation has a body, and an idempotency key that makes retries safe. */
export type Call = {
  operation: Operation;
  path: string;
  body?: string;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** The result of a call: the parsed body of the response, and the headers. */
export type Result = { value: unknown; headers: Headers; requestId: string };

/** Makes calls: waits for the limits, sends, retries, and turns error responses into errors. */
export class Calls {
  readonly #settings: Settings;
  readonly #tracker = new LimitTracker();
  readonly #throttle: Throttle;
  readonly #deprecations: DeprecationReporter;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#throttle = new Throttle(this.#tracker, settings.clock, settings.onWait);
    this.#deprecations = new DeprecationReporter(settings.onDeprecation);
  }

  get limits(): RateLimits {
    return this.#tracker.limits;
  }

  /** @throws PetstoreError when the service refuses the call or the last retry fails; the signal's reason when aborted */
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
    const wait = await this.#throttle.acquire(deadline, call.signal);
    if (wait > 0) throw this.#limitError(wait, requestId);
    try {
      return await this.#send(call, requestId, deadline);
    } finally {
      this.#throttle.release();
    }
  }

  async #send(call: Call, requestId: string, deadline: number): Promise<Result> {
    const { fetch, baseUrl, clock } = this.#settings;
    const sent = clock.now();
    const timeout = Math.min(this.#settings.timeout, Math.max(0, deadline - sent));
    const init = this.#requestOf(call, requestId);
    const { status, headers, text } = await send(fetch, {
      url: baseUrl + call.path,
      init,
      requestId,
      timeout,
      signal: call.signal,
    }).catch((error) => {
      this.#tracker.recordLost(clock.now());
      throw error;
    });
    const now = clock.now();
    // The limits on a 401 are those of the client's address, not of the key; on a 503 they may be.
    if (status !== 401 && !isOfAddress(headers)) this.#tracker.update(headers, sent, now);
    this.#deprecations.check(call.operation, headers);
    if (!isSuccess(status)) {
      throw errorOf(text, { status, requestId, retryAfter: retryAfterIn(headers, now), limits: this.limits });
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

  /** The error of a request that was not sent, because it would have waited too long. */
  #limitError(wait: number, requestId: string): RateLimitError {
    const retryAfter = Math.ceil(wait / 1000);
    const code = this.#tracker.isDayUsedUp ? "quota_exceeded" : "rate_limit_exceeded";
    const message = `The limits are used up for ${retryAfter} more seconds, longer than this call may take.`;
    return new RateLimitError(message, { code, status: 429, requestId, retryAfter, limits: this.limits });
  }
}

/** @throws ConnectionError when the response is incomplete */
function bodyValue({ status, text }: CompleteResponse, requestId: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw unexpected("The response is incomplete, or not from the service.", status, requestId, cause);
  }
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is missing on pages without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
