import { type Clock, realClock } from "./clock.ts";
import { environmentVariable } from "./environment.ts";
import type { DeprecationEvent, RetryEvent, WaitEvent } from "./events.ts";
import type { IntegerMode } from "./int64.ts";
import type { Fetch } from "./send.ts";
import { type AppInfo, userAgentOf } from "./user-agent.ts";

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
  /** Whether calls wait for the reset when the limits are used up. By default true; otherwise they are refused. */
  readonly waitForLimits?: boolean | undefined;
  /** `"mixed"`, the default: integers are numbers if exact, otherwise bigints. `"bigint"`: always bigints. */
  readonly integers?: Mode | undefined;
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
  onRetry: ((event: RetryEvent) => void) | undefined;
  onWait: ((event: WaitEvent) => void) | undefined;
  onDeprecation: ((event: DeprecationEvent) => void) | undefined;
  clock: Clock;
};

/** The service's default addresses on this machine. */
const addressOf: Record<Deployment, string> = {
  production: "http://127.0.0.1:8080/v1",
  staging: "http://127.0.0.1:8090/v1",
};

/** @throws TypeError for a missing or invalid key, a key of the other deployment, or an invalid address or `appInfo` */
export function settingsOf(options: PetstoreOptions<IntegerMode>): Settings {
  const { fetch: given, clock = realClock, timeout = 30_000, maxRetries = 5, budget = 600_000 } = options;
  const apiKey = options.apiKey ?? environmentVariable("PETSTORE_API_KEY");
  if (apiKey === undefined) throw new TypeError("There is no API key: pass apiKey, or set PETSTORE_API_KEY.");
  const deployment = deploymentOf(apiKey);
  const wanted = options.deployment ?? deployment;
  if (deployment !== wanted) throw new TypeError(`apiKey belongs to ${deployment}, but deployment is ${wanted}.`);
  return {
    apiKey,
    baseUrl: baseAddress(options.baseUrl ?? environmentVariable("PETSTORE_BASE_URL") ?? addressOf[deployment]),
    userAgent: userAgentOf(options.appInfo),
    // Wrapped: browsers refuse to run `fetch` as a method of another object.
    fetch: given ?? ((url, init) => fetch(url, init)),
    timeout,
    maxRetries,
    budget,
    waitForLimits: options.waitForLimits ?? true,
    onRetry: options.onRetry,
    onWait: options.onWait,
    onDeprecation: options.onDeprecation,
    clock,
  };
}

function deploymentOf(apiKey: string): Deployment {
  const form = /^pets_(?:(live)|stag)_\w+$/.exec(apiKey);
  if (form === null)
    throw new TypeError("apiKey is no API key: copy the whole key, which begins with pets_live_ or pets_stag_.");
  return form[1] === undefined ? "staging" : "production";
}

/** Returns the base address with `/v1` and without a slash at its end. */
function baseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash) {
    throw new TypeError("baseUrl must be an http or https URL without user, query and fragment.");
  }
  return url.origin + url.pathname.replace(/(\/v1)?\/*$/, "/v1");
}
