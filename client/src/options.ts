import { type Clock, realClock } from "./clock.ts";
import type { DeprecationEvent, RetryEvent, WaitEvent } from "./events.ts";
import type { Fetch } from "./exchange.ts";
import type { IntegerMode } from "./int64.ts";

/** Which of the two deployments is called. Each has its own keys and pets. */
export type Deployment = "production" | "staging";

/** How a client is set up. Only the key is needed. */
export interface PetstoreOptions<Mode extends IntegerMode = "mixed"> {
  /** The API key: `pets_live_…` for production, `pets_stag_…` for staging. */
  readonly apiKey: string;
  /** The address that ends in `/v1`. By default that of a service on this machine, as its own settings have it. */
  readonly baseUrl?: string | undefined;
  /** Which deployment the key has to be of. By default the one that the key names. */
  readonly deployment?: Deployment | undefined;
  /** What sends the requests. By default the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** How long a single request may take, in ms. By default 30,000. */
  readonly timeout?: number | undefined;
  /** How often a failed request is sent again. By default 5 times; 0 for never. */
  readonly maxRetries?: number | undefined;
  /**
   * How long a call may take in all, retries and waiting for limits included, in ms. By default 600,000, ten minutes;
   * Infinity for as long as it takes. A call that would have to wait longer fails at once, with what it knows.
   */
  readonly budget?: number | undefined;
  /** Whether calls wait for the reset when the limits are used up, instead of being refused. By default true. */
  readonly waitForLimits?: boolean | undefined;
  /** `"mixed"`, the default: integers are numbers where that is exact, bigints where not. `"bigint"`: always bigints. */
  readonly integers?: Mode | undefined;
  /** Called before each wait that precedes a retry. It must not throw. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called when calls begin to wait for the limits. It must not throw. */
  readonly onWait?: ((event: WaitEvent) => void) | undefined;
  /** Called once for each operation that turns out to be deprecated, instead of `console.warn`. It must not throw. */
  readonly onDeprecation?: ((event: DeprecationEvent) => void) | undefined;
  /** Time and chance, for tests of your own. */
  readonly clock?: Clock | undefined;
}

/** The options with every default filled in. */
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

/** What the service itself calls its deployments where it runs on this machine. */
const addressOf: Record<Deployment, string> = {
  production: "http://127.0.0.1:8080/v1",
  staging: "http://127.0.0.1:8090/v1",
};

/** @throws TypeError for a key that is none, or that is of the other deployment, and for an address that is none */
export function settingsOf(options: PetstoreOptions<IntegerMode>): Settings {
  const { apiKey, fetch: given, clock = realClock, timeout = 30_000, maxRetries = 5, budget = 600_000 } = options;
  const deployment = deploymentOf(apiKey);
  const wanted = options.deployment ?? deployment;
  if (deployment !== wanted) throw new TypeError(`apiKey is of ${deployment}, but deployment is ${wanted}.`);
  return {
    apiKey,
    baseUrl: new URL(options.baseUrl ?? addressOf[deployment]).href.replace(/\/+$/, ""),
    // Called by its name: browsers refuse to run it as another object's method.
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
  if (form === null) throw new TypeError("apiKey is no API key: those begin with pets_live_ or pets_stag_.");
  return form[1] === undefined ? "staging" : "production";
}
