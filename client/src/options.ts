import { type Clock, realClock } from "./clock.ts";
import type { DeprecationEvent, RetryEvent, WaitEvent } from "./events.ts";
import type { IntegerMode } from "./int64.ts";
import type { Fetch } from "./send.ts";

/** The deployments of the service. Each has its own keys and pets. */
export type Deployment = "production" | "staging";

/** The options of a client. Only the key is required. */
export interface PetstoreOptions<Mode extends IntegerMode = "mixed"> {
  /** The API key: `pets_live_…` for production, `pets_stag_…` for staging. */
  readonly apiKey: string;
  /** The base address, which ends in `/v1`. By default that of a service on this machine with its default settings. */
  readonly baseUrl?: string | undefined;
  /** The deployment of the key. By default the one that the key names; another one is refused. */
  readonly deployment?: Deployment | undefined;
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

/** @throws TypeError for an invalid key, a key of the other deployment, or an invalid address */
export function settingsOf(options: PetstoreOptions<IntegerMode>): Settings {
  const { apiKey, fetch: given, clock = realClock, timeout = 30_000, maxRetries = 5, budget = 600_000 } = options;
  const deployment = deploymentOf(apiKey);
  const wanted = options.deployment ?? deployment;
  if (deployment !== wanted) throw new TypeError(`apiKey belongs to ${deployment}, but deployment is ${wanted}.`);
  return {
    apiKey,
    baseUrl: new URL(options.baseUrl ?? addressOf[deployment]).href.replace(/\/+$/, ""),
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
  if (form === null) throw new TypeError("apiKey is not an API key: API keys begin with pets_live_ or pets_stag_.");
  return form[1] === undefined ? "staging" : "production";
}
