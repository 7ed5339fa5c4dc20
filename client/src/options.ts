import { type Clock, realClock } from "./clock.ts";
import type { PetstoreError } from "./errors.ts";
import type { IntegerMode } from "./int64.ts";
import type { operations } from "./schema.ts";
import type { Fetch } from "./send.ts";

declare const process: { env?: Record<string, string | undefined> } | undefined;
declare const Deno:
  | { permissions: { querySync(permission: { name: "env"; variable: string }): { state: string } } }
  | undefined;

/** Returns an environment variable; undefined if it is empty, in browsers, and if Deno would ask for permission. */
function environmentVariable(name: string): string | undefined {
  if (typeof process === "undefined") return undefined;
  if (typeof Deno !== "undefined" && Deno.permissions.querySync({ name: "env", variable: name }).state !== "granted") {
    return undefined;
  }
  return process.env?.[name] || undefined;
}

/** An operation of the service, by its name in the OpenAPI document. */
export type Operation = keyof operations;

/** The operation of a call: its name, or the method and the path of a `request`, such as `GET /pets/{id}`. */
export type OperationName = Operation | `${string} ${string}`;

/** The client sends a request. */
export interface RequestEvent {
  /** The operation of the call. */
  readonly operation: OperationName;
  /** The HTTP method. */
  readonly method: string;
  /** The URL, with its query. */
  readonly url: string;
  /** Names the request in the service's log. */
  readonly requestId: string;
}

/** A request ended: with a response, or without one. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status; 0 when there was no complete response. */
  readonly status: number;
  /** The headers of the response; undefined when there was none. */
  readonly headers: Headers | undefined;
  /** Milliseconds since the request was sent. */
  readonly duration: number;
  /** Why there was no complete response: a ConnectionError, or the reason of the signal. */
  readonly error: unknown;
}

/** Gets the lines of the log, such as `console` or the logger of a library. */
export interface Logger {
  /** Writes a line. */
  debug(line: string): void;
}

/** A call failed, and the client will retry it. */
export interface RetryEvent {
  /** The operation of the call. */
  readonly operation: OperationName;
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** Milliseconds until the retry. */
  readonly delay: number;
  /** The error of the last attempt. */
  readonly error: PetstoreError;
}

/** The limits are used up: calls wait for the reset. */
export interface WaitEvent {
  /** Milliseconds until the reset. */
  readonly delay: number;
  /** The number of waiting calls. */
  readonly calls: number;
}

/** A called operation is deprecated. */
export interface DeprecationEvent {
  /** The deprecated operation. */
  readonly operation: OperationName;
  /** When the operation was deprecated (RFC 9745), if the service says so. */
  readonly since: Date | undefined;
  /** When the operation will be removed (RFC 8594), if the service says so. */
  readonly sunset: Date | undefined;
  /** The URL to call instead, if the service names one. */
  readonly successor: string | undefined;
}

/** The program that uses the client. */
export interface AppInfo {
  /** The name of the program. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
  /** Where to read about the program. */
  readonly url?: string | undefined;
}

/** The version of this package. A test compares it with package.json. */
export const VERSION = "1.0.0";

/**
 * Returns the `User-Agent` header; undefined in browsers, which send their own and ask the service before they send another.
 * @throws TypeError when the header would be invalid
 */
function userAgentOf(app: AppInfo | undefined): string | undefined {
  if (typeof navigator !== "undefined" && navigator.userAgent?.startsWith("Mozilla/")) return undefined;
  const client = `petstore-client/${VERSION}`;
  if (app === undefined) return client;
  const userAgent = `${client} ${app.name}/${app.version}${app.url === undefined ? "" : ` (${app.url})`}`;
  if (!/^[ -~]+$/.test(userAgent)) throw new TypeError("appInfo must be printable ASCII characters.");
  return userAgent;
}

/** The deployments of the service. Each has its own keys and pets. */
export type Deployment = "production" | "staging";

/** The options of a client. */
export interface PetstoreOptions<Mode extends IntegerMode = "mixed"> {
  /**
   * The API key: `pets_live_…` for production, `pets_stag_…` for staging. By default the environment variable
   * `PETSTORE_API_KEY`.
   */
  readonly apiKey?: string | undefined;
  /**
   * The base address; a missing `/v1` is added. By default the environment variable `PETSTORE_BASE_URL`, and without it the
   * address of a service on this machine with its default settings.
   */
  readonly baseUrl?: string | undefined;
  /** The deployment of the key. By default the one that the key names; another one is refused. */
  readonly deployment?: Deployment | undefined;
  /** The program that uses the client: an addition to the `User-Agent`, which browsers do not send. */
  readonly appInfo?: AppInfo | undefined;
  /** The function that sends requests. By default the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** The time-out of a single request, in ms. By default 30,000. */
  readonly timeout?: number | undefined;
  /** The largest number of retries of a call. By default 5; 0 for none. */
  readonly maxRetries?: number | undefined;
  /**
   * The time for a whole call, including retries and waits for limits, in ms. By default 600,000, ten minutes; Infinity for
   * no bound. A call that would have to wait longer fails at once.
   */
  readonly budget?: number | undefined;
  /** Whether calls wait for the reset when the limits are used up. By default true; otherwise requests are sent all the same. */
  readonly waitForLimits?: boolean | undefined;
  /** `"mixed"`, the default: integers are numbers if exact, otherwise bigints. `"bigint"`: always bigints. */
  readonly integers?: Mode | undefined;
  /** Called before each request, also those of retries. It must not throw. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each request. It must not throw. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /**
   * Gets a line for each request, response, retry and wait, without the key and bodies. By default nothing; the standard error if
   * the environment variable `PETSTORE_LOG` is `debug`.
   */
  readonly logger?: Logger | undefined;
  /** Called before the wait for each retry. It must not throw. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called when calls start to wait for the limits. It must not throw. */
  readonly onWait?: ((event: WaitEvent) => void) | undefined;
  /** Called once for each deprecated operation, instead of `console.warn`. It must not throw. */
  readonly onDeprecation?: ((event: DeprecationEvent) => void) | undefined;
  /** The source of time and random numbers, for your own tests. */
  readonly clock?: Clock | undefined;
}

/** The options with their defaults. */
export type Settings = {
  apiKey: string;
  baseUrl: string;
  userAgent: string | undefined;
  fetch: Fetch;
  timeout: number;
  maxRetries: number;
  budget: number;
  waitForLimits: boolean;
  onRequest: (event: RequestEvent) => void;
  onResponse: (event: ResponseEvent) => void;
  onRetry: (event: RetryEvent) => void;
  onWait: (event: WaitEvent) => void;
  onDeprecation: ((event: DeprecationEvent) => void) | undefined;
  clock: Clock;
};

/** The service's default addresses on this machine. */
const addressOf: Record<Deployment, string> = {
  production: "http://127.0.0.1:8080",
  staging: "http://127.0.0.1:8090",
};

/** @throws TypeError for a missing or invalid key, a key of the other deployment, or an invalid address or `appInfo` */
export function settingsOf(options: PetstoreOptions<IntegerMode>): Settings {
  const {
    apiKey = environmentVariable("PETSTORE_API_KEY"),
    // Wrapped: browsers refuse to run `fetch` as a method of another object.
    fetch: send = (url, init) => fetch(url, init),
    timeout = 30_000,
    maxRetries = 5,
    budget = 600_000,
    waitForLimits = true,
    clock = realClock,
    logger = environmentVariable("PETSTORE_LOG") === "debug" ? { debug: console.error } : undefined,
  } = options;
  /** Writes an event to the log, and passes it on. */
  const logged =
    <Event>(name: string, hook: ((event: Event) => void) | undefined) =>
    (event: Event) => {
      const { error }: { error?: unknown } = Object(event);
      logger?.debug(
        `@petstore/client: ${name} ${JSON.stringify({ ...event, headers: undefined, error: error && String(error) })}`,
      );
      hook?.(event);
    };
  if (apiKey === undefined) throw new TypeError("There is no API key: pass apiKey, or set PETSTORE_API_KEY.");
  const deployment = deploymentOf(apiKey);
  const wanted = options.deployment ?? deployment;
  if (deployment !== wanted) throw new TypeError(`apiKey belongs to ${deployment}, but deployment is ${wanted}.`);
  return {
    apiKey,
    baseUrl: baseAddress(options.baseUrl ?? environmentVariable("PETSTORE_BASE_URL") ?? addressOf[deployment]),
    userAgent: userAgentOf(options.appInfo),
    fetch: send,
    timeout,
    maxRetries,
    budget,
    waitForLimits,
    onRequest: logged("request", options.onRequest),
    onResponse: logged("response", options.onResponse),
    onRetry: logged("retry", options.onRetry),
    onWait: logged("wait", options.onWait),
    onDeprecation: options.onDeprecation,
    clock,
  };
}

function deploymentOf(apiKey: string): Deployment {
  const form = /^pets_(?:(live)|stag)_\w+$/.exec(apiKey);
  if (!form) throw new TypeError("apiKey must be a whole API key, from pets_live_ or pets_stag_ on.");
  return form[1] ? "production" : "staging";
}

/** Returns the base address with `/v1` and without a slash at its end. */
function baseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== url.origin + url.pathname) {
    throw new TypeError("baseUrl must be an http or https URL without user, query and fragment.");
  }
  return url.origin + url.pathname.replace(/(\/v1)?\/*$/, "/v1");
}

/** The options of every call. Those that a client has too replace the client's for this call. */
export interface CallOptions {
  /** Aborts the call, also while it waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The time-out of a single request, in ms. */
  readonly timeout?: number | undefined;
  /** The largest number of retries; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** The time for the whole call, including retries and waits for limits, in ms. */
  readonly budget?: number | undefined;
  /** Further request headers, such as `traceparent`. Headers that the client sets itself are not replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The options of a creation. */
export interface CreateOptions extends CallOptions {
  /**
   * The idempotency key: within 24 hours, creations with the same key happen once. 1 to 255 printable ASCII characters.
   * By default each call has a new key, which makes its retries safe.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The options of a change or a removal. */
export interface ChangeOptions extends CallOptions {
  /**
   * The header `ETag` of a response: the change is made only if the resource still has it. `*`: only if the resource exists.
   * The client refuses null, because the response had no ETag.
   */
  readonly ifMatch?: string | null | undefined;
}

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/;

/** @throws RangeError for an idempotency key or an ETag that cannot be sent */
export function checkOptions({ idempotencyKey = "-", ifMatch = "*" }: CreateOptions & ChangeOptions): void {
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
  }
  if (!ifMatch) throw new RangeError("ifMatch must be the ETag of a response.");
}
