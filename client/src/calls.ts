import type { Clock } from "./clock.ts";
import { DeprecationReporter } from "./deprecation.ts";
import {
  ConflictError,
  errorOf,
  NotFoundError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  unexpected,
} from "./errors.ts";
import { parse } from "./int64.ts";
import { isOfAddress, type RateLimits } from "./limits.ts";
import { checkOptions, type Settings } from "./options.ts";
import { type Call, requestOf } from "./request.ts";
import { send } from "./send.ts";
import { LimitTracker, Throttle } from "./throttle.ts";

/** The result of a call, with its response. */
export interface PetstoreResponse<Data> {
  /** The result. */
  readonly data: Identified<Data>;
  /** The last response, with its status and headers. Its body is read already. */
  readonly response: Response;
  /** Names the request in the service's log. */
  readonly requestId: string;
}

/**
 * A result with the id of the request that returned it, which names the request in the service's log. Its JSON and its copies do
 * not have the id.
 */
export type Identified<Data> = Data extends object ? Data & { readonly requestId?: string | undefined } : Data;

/** Adds the request id to a result that is an object. */
export function identified<Data>(data: Data, requestId: string): Identified<Data> {
  Object.defineProperty(Object(data), "requestId", { value: requestId });
  return data as Identified<Data>;
}

/** The promise of a call's result. */
export interface PetstorePromise<Data> extends Promise<Identified<Data>> {
  /**
   * Returns the result with its response: status, headers and request id.
   *
   * @example
   * const { data, response, requestId } = await petstore.listPets().withResponse();
   */
  withResponse(): Promise<PetstoreResponse<Data>>;
}

/** The bound of the first delay, in ms. It doubles with each retry. */
const FIRST_DELAY = 250;

/** The longest delay, in ms. */
const LONGEST_DELAY = 30_000;

/** Returns a delay with full jitter, in whole ms: 0 to a bound that doubles with each retry (1, 2, …). `random`: 0 to 1. */
export function backOff(retry: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (retry - 1)));
}

/** Whether a retry may succeed. Every request is safe to retry: a POST has an idempotency key, the others are idempotent. */
export function isWorthRetrying({ code, status }: PetstoreError): boolean {
  if (status === 408 || status === 429 || status >= 500 || code === "idempotency_in_progress") return true;
  // There was no response, or it was incomplete. Browsers show a redirection as the status 0.
  return status < 300 && (status > 0 || code !== "unexpected_response");
}

/** Whether the status is 2xx. */
function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the seconds in `Retry-After`, which is a number or a date (RFC 9110). `now` is Unix ms. */
function retryAfterIn(headers: Headers, now: number): number | undefined {
  const text = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  // Relative to the header Date, if the response has one.
  const written = Date.parse(headers.get("Date") ?? "") || now;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - written) / 1000));
}

/** The result of a call: the parsed body of the response, undefined without one, and the response. */
type Result = { value: unknown; response: Response; requestId: string };

/** One attempt of a call, until `deadline` (Unix ms). `isUncertain`: an earlier one may have made the change. */
type Attempt = { requestId: string; idempotencyKey: string; deadline: number; isUncertain: boolean };

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

  get clock(): Clock {
    return this.#settings.clock;
  }

  get limits(): RateLimits {
    return this.#tracker.limits;
  }

  /** Makes the call that `start` returns, and takes the data from its result. What they throw rejects the promise. */
  run<Data>(start: () => Call | Promise<Call>, take: (result: Result) => Data): PetstorePromise<Data> {
    const whole = (async () => {
      const result = await this.make(await start());
      const { response, requestId } = result;
      return { data: identified(take(result), requestId), response, requestId };
    })();
    const data = whole.then((one) => one.data);
    const withResponse = async () => {
      // The promise of this function reports the error instead.
      data.catch(() => {});
      return whole;
    };
    return Object.assign(data, { withResponse });
  }

  /** @throws PetstoreError when the service refuses the call or the last retry fails; the signal's reason when aborted */
  async make(first: Call): Promise<Result> {
    const { clock, onRetry, ...own } = this.#settings;
    const { budget = own.budget, maxRetries = own.maxRetries, signal } = first.options;
    checkOptions(first.options);
    const deadline = clock.now() + budget;
    const id = randomId();
    const idempotencyKey = first.options.idempotencyKey ?? id;
    let call = first;
    let isUncertain = false;
    for (let retry = 1; ; retry++) {
      try {
        return await this.#attempt(call, { requestId: `${id}-${retry}`, idempotencyKey, deadline, isUncertain });
      } catch (error) {
        if (!(error instanceof PetstoreError)) throw error;
        const isStale = error instanceof PreconditionError;
        const done = isUncertain && (isStale || error instanceof ConflictError) && (await this.#madeBy(call));
        if (done) return done;
        const renew = isStale ? call.renew : undefined;
        if (retry > maxRetries || !(renew || isWorthRetrying(error))) throw error;
        const delay = (error.retryAfter ?? 0) * 1000 + backOff(retry, clock.random());
        if (clock.now() + delay > deadline) throw error;
        onRetry({ operation: call.operation, retry, delay, error });
        await clock.sleep(delay, signal);
        // A request that was refused by a limit made no change.
        isUncertain = !renew && (isUncertain || error.status !== 429);
        if (renew) call = await renew();
      }
    }
  }

  /** Returns the resource if it has the change of this call, whose response may have been lost. */
  async #madeBy({ read, body = "{}" }: Call): Promise<Result | undefined> {
    const fields = Object.entries(Object(parse(body)));
    // A change of nothing changes no ETag.
    if (read === undefined || fields.length === 0) return undefined;
    const result = await this.make(read);
    const value = Object(Object(result.value)[0]);
    return fields.every(([name, field]) => value[name] === field) ? { ...result, value } : undefined;
  }

  async #attempt(call: Call, attempt: Attempt): Promise<Result> {
    if (call.isFree || !this.#settings.waitForLimits) return this.#send(call, attempt);
    const wait = await this.#throttle.acquire(attempt.deadline, call.options.signal, call.cost);
    if (wait > 0) throw this.#limitError(wait, attempt.requestId);
    try {
      return await this.#send(call, attempt);
    } finally {
      this.#throttle.release(call.cost);
    }
  }

  async #send(call: Call, { deadline, isUncertain, ...identity }: Attempt): Promise<Result> {
    const { fetch, baseUrl, clock, onRequest, onResponse } = this.#settings;
    const { signal, timeout = this.#settings.timeout } = call.options;
    const { requestId } = identity;
    const { operation, method, query = "" } = call;
    const address = baseUrl + call.path;
    const init = requestOf(call, { ...this.#settings, ...identity });
    const event = { operation, method, url: address + query, requestId };
    onRequest(event);
    const sent = clock.now();
    const { response, text } = await send(fetch, {
      address,
      query,
      init,
      requestId,
      timeout: Math.max(0, Math.ceil(Math.min(timeout, deadline - sent))),
      signal,
    }).catch((error) => {
      const now = clock.now();
      if (!call.isFree) this.#tracker.recordLost(now, call.cost);
      onResponse({ ...event, status: 0, headers: undefined, duration: now - sent, error });
      throw error;
    });
    const { status, headers } = response;
    const now = clock.now();
    onResponse({ ...event, status, headers, duration: now - sent, error: undefined });
    // The limits on a 401 are those of the client's address, not of the key; on a 503 they may be. A free operation shows
    // windows that are not open yet.
    if (!call.isFree && status !== 401 && !isOfAddress(headers)) this.#tracker.update(headers, sent, now);
    this.#deprecations.check(operation, headers);
    let value: unknown;
    let cause: unknown;
    try {
      if (status !== 204) value = parse(text);
    } catch (error) {
      cause = error;
    }
    if (!isSuccess(status)) {
      const retryAfter = retryAfterIn(headers, now);
      const error = errorOf(Object(value), { address, status, requestId, retryAfter, limits: this.limits });
      const isRemoved = isUncertain && method === "DELETE" && error instanceof NotFoundError;
      if (isRemoved && error.code !== "not_found") return { value: undefined, response, requestId };
      throw error;
    }
    if (cause) {
      throw unexpected(`The response of ${address} is not JSON.`, status, requestId, cause);
    }
    return { value, response, requestId };
  }

  /** The error of a request that was not sent, because it would have waited too long. */
  #limitError(wait: number, requestId: string): RateLimitError {
    const retryAfter = Math.ceil(wait / 1000);
    const code = this.#tracker.isDayUsedUp ? "quota_exceeded" : "rate_limit_exceeded";
    const message = `The limits are used up for ${retryAfter} more seconds, longer than this call may take.`;
    return new RateLimitError(message, { code, status: 429, requestId, retryAfter, limits: this.limits });
  }
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is missing on pages without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
