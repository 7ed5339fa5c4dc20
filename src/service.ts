import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { failureLog } from "./failure-log.ts";
import { createApp } from "./http/app.ts";
import { type Issued, KeyAdministration, type NewKey } from "./keys/administration.ts";
import { scopes } from "./keys/key.ts";
import type { Listen } from "./listen/listener.ts";
import type { Log } from "./log.ts";
import { newMeasures, openMeasuring, type Self } from "./measuring.ts";
import { ActivityLog } from "./memory/activity.ts";
import { AddressLimiter } from "./memory/address-limiter.ts";
import { openLimiting } from "./open-limiting.ts";
import { openStores } from "./open-stores.ts";
import type { Measures } from "./prometheus/measures.ts";
import type { Stores } from "./stores.ts";

export type Service = {
  port: number;
  /** The key that was made because there was none yet: its secret can be told only now. */
  firstKey: Issued | undefined;
  /** What it has measured so far. */
  measures: Measures;
  /** Answers what is in flight, keeps the counters, and closes everything. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/** How often counters are written down, and how often those that are over are dropped, in ms. A crash may lose 1 s of counts. */
const FLUSH_EVERY = 500;
const SWEEP_EVERY = 60_000;
/** While stopping: how long answers ask clients to close their connections, and how long those in flight may take, in ms. */
const FAREWELL = 1_500;
const PATIENCE = 6_000;

type Options = {
  clock?: Clock;
  /** Whether other processes of this machine listen at the same address. */
  isShared?: boolean;
};

/** Opens the stores, builds the app and listens. @throws Unusable when the database cannot be used */
export async function startService(
  config: Config,
  log: Log,
  { clock = Date.now, isShared = false }: Options = {},
): Promise<Service> {
  const { measures, tracing, watches } = await openMeasuring(config, self(), log);
  const onLostConnection = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const stores = await openStores(config, onLostConnection, watches);
  const { counters } = stores;
  const limiting = await openLimiting(config, counters, clock, log, watches);
  measures.add({ keyCache: stores.keyCache, fallbacks: limiting.fallbacks });
  const activity = new ActivityLog();
  const traceIds = () => tracing?.ids() ?? {};

  let isStopping = false;
  const app = createApp({
    ...config,
    ...stores,
    limiter: limiting.limiter,
    addresses: new AddressLimiter(clock, config.addressLimit),
    activity,
    clock,
    health: { isStopping: () => isStopping, check: stores.check },
    report: failureLog(log, clock, traceIds),
    recorders: [measures.requests],
    logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
    trace: tracing && ((exchange, answer) => tracing.request(exchange, answer)),
  });
  const listen = await listenOfThisRuntime();
  const { host, port } = config;
  const listener = await listen(app, { host, port, isShared }).catch(async (error) => {
    limiting.close();
    await stores.close();
    throw error;
  });
  // Once it is sure to run: a key that was made for a service which then cannot listen would never be shown.
  const firstKey = await createFirstKey(stores, config, clock);

  let isBehind = false;
  /** Writes down what was counted since the last time; what cannot be written now is written next time. */
  const flush = async () => {
    const usages = limiting.drain();
    const done = activity.drain();
    if (usages.size === 0 && done.lastUsed.size === 0 && done.deprecated.size === 0) return;
    try {
      await counters.save(usages, done);
      isBehind = false;
    } catch (error) {
      limiting.undrain(usages.keys());
      activity.undrain(done);
      if (!isBehind) log.warn({ err: error }, "counters cannot be written; trying again until they can");
      isBehind = true;
    }
  };
  const timers = [setInterval(flush, FLUSH_EVERY), setInterval(() => limiting.sweep(), SWEEP_EVERY)];

  const stop = async () => {
    isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, FAREWELL));
    await listener.stop(PATIENCE);
    for (const timer of timers) clearInterval(timer);
    await flush();
    limiting.close();
    await stores.close();
    await tracing?.stop();
  };
  let stopped: Promise<void> | undefined;
  return {
    port: listener.port,
    firstKey,
    measures,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Makes the first key, where there is none. */
export async function createFirstKey(
  { keys, alone }: Stores,
  { deployment }: Config,
  clock: Clock = Date.now,
): Promise<Issued | undefined> {
  const administration = new KeyAdministration(keys, deployment);
  const request: NewKey = { name: "first key", plan: "business", scopes: [...scopes] };
  return alone(async () => ((await keys.isEmpty()) ? administration.create(request, clock()) : undefined));
}

/** The measures of this process, where it does not serve itself. */
export function measuresOf(config: Config): Measures {
  return newMeasures(config, self());
}

function self(): Self {
  const { bun, node } = process.versions;
  const figures = {
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return { user: user / 1e6, system: system / 1e6 };
    },
    memory: () => process.memoryUsage.rss(),
    startedAt: Math.round(Date.now() / 1000 - process.uptime()),
  };
  return { runtime: bun === undefined ? `node ${node}` : `bun ${bun}`, figures };
}

async function listenOfThisRuntime(): Promise<Listen> {
  const module = process.versions.bun ? await import("./listen/bun.ts") : await import("./listen/node.ts");
  return module.listen;
}
