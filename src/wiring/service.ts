import { randomUUID } from "node:crypto";
import { createApp } from "../adapters/http/app.ts";
import type { Listen } from "../adapters/listen/listener.ts";
import { ActivityLog } from "../adapters/memory/activity.ts";
import { AddressLimiter } from "../adapters/memory/address-limiter.ts";
import { KeyUsage } from "../adapters/memory/key-usage.ts";
import { UsageLog } from "../adapters/memory/usage-log.ts";
import type { Metrics } from "../adapters/prometheus/metrics.ts";
import type { Clock } from "../domain/clock.ts";
import { type Issued, KeyAdministration, type NewKey } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import { IDEMPOTENCY_KEY_LIFETIME } from "../domain/pets/idempotency-key.ts";
import { listenToOperators } from "./administration.ts";
import type { Config } from "./config.ts";
import { failureLog } from "./failure-log.ts";
import { newMetrics, openInstrumentation, type Self } from "./instrumentation.ts";
import type { Log } from "./log.ts";
import { openLimiting } from "./open-limiting.ts";
import { openStores } from "./open-stores.ts";
import type { Stores } from "./stores.ts";
import { UsageWriter } from "./usage-writer.ts";

export type Service = {
  port: number;
  /** The port at which operators are listened to, if they are. */
  adminPort: number | undefined;
  /** The key that was made because there was none yet: its secret can be told only now. */
  firstKey: Issued | undefined;
  /** What it has measured so far. */
  metrics: Metrics;
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
  const { metrics, tracing, watches } = await openInstrumentation(config, self(), log);
  const onLostConnection = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const stores = await openStores(config, onLostConnection, watches);
  const { counters } = stores;
  const limiting = await openLimiting(config, counters, clock, log, watches);
  metrics.add({ keyCache: stores.keyCache, fallbacks: limiting.fallbacks });
  const activity = new ActivityLog();
  const usageLog = new UsageLog(randomUUID());
  const ownUsage = new KeyUsage(usageLog, stores.usage);
  const traceIds = () => tracing?.ids() ?? {};

  let isStopping = false;
  const health = { isStopping: () => isStopping, check: stores.check };
  const report = failureLog(log, clock, traceIds);
  const app = createApp({
    ...config,
    ...stores,
    limiter: limiting.limiter,
    addresses: new AddressLimiter(clock, config.addressLimit),
    activity,
    clock,
    health,
    report,
    recorders: [usageLog, metrics.requests],
    lastDay: (keyId, now) => ownUsage.lastDay(keyId, now),
    logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
    trace: tracing && ((context, answer) => tracing.request(context, answer)),
  });
  const listen = await listenOfThisRuntime();
  const { host, port } = config;
  const close = async () => {
    limiting.close();
    await stores.close();
    await tracing?.stop();
  };
  const listener = await listen(app, { host, port, isShared }).catch(async (error) => {
    await close();
    throw error;
  });
  // Of several processes at one address, the one that started them listens to operators.
  const told = () => metrics.text();
  const parts = { config, stores, limiting, health, report, log, clock, listen, runtime: runtime(), metrics: told };
  const admin = isShared
    ? undefined
    : await listenToOperators(parts).catch(async (error) => {
        await listener.stop(0);
        await close();
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
  const usageWriting = new UsageWriter(usageLog, stores.usage, clock, log);
  /** Forgets what creations were named, once it is time; what cannot be done now is done next time. */
  const forgetCreations = async () => {
    const time = clock() - IDEMPOTENCY_KEY_LIFETIME;
    while (!isStopping && (await stores.pets.forgetIdempotencyKeys(time).catch(() => 0)) > 0);
  };
  const sweep = () => {
    limiting.sweep();
    forgetCreations();
  };
  const timers = [setInterval(flush, FLUSH_EVERY), setInterval(sweep, SWEEP_EVERY)];

  const stop = async () => {
    isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, FAREWELL));
    await Promise.all([listener.stop(PATIENCE), admin?.stop(PATIENCE)]);
    for (const timer of timers) clearInterval(timer);
    await Promise.all([flush(), usageWriting.stop()]);
    await close();
  };
  let stopped: Promise<void> | undefined;
  return {
    port: listener.port,
    adminPort: admin?.port,
    firstKey,
    metrics,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Makes the first key, where there is none. */
export async function createFirstKey(
  { keys, withLock }: Stores,
  { deployment }: Config,
  clock: Clock = Date.now,
): Promise<Issued | undefined> {
  const administration = new KeyAdministration(keys, deployment, { operator: { name: "first start" } });
  const request: NewKey = { name: "first key", plan: "business", scopes: [...scopes] };
  return withLock(async () => ((await keys.isEmpty()) ? administration.create(request, clock()) : undefined));
}

/** The metrics of this process, where it does not serve itself. */
export function metricsOf(config: Config): Metrics {
  return newMetrics(config, self());
}

/** Listens to operators, for processes that serve and do not. @throws Unusable; when the address cannot be had */
export async function startAdministration(
  config: Config,
  log: Log,
  metrics: () => Promise<string>,
): Promise<Pick<Service, "adminPort" | "stop">> {
  const stores = await openStores(config, (error) => log.warn({ err: error }, "a connection to the database was lost"));
  const clock = Date.now;
  const limiting = await openLimiting(config, stores.counters, clock, log);
  const close = async () => {
    limiting.close();
    await stores.close();
  };
  let isStopping = false;
  const health = { isStopping: () => isStopping, check: stores.check };
  const report = failureLog(log, clock);
  const listen = await listenOfThisRuntime();
  const parts = { config, stores, limiting, health, report, log, clock, listen, runtime: runtime(), metrics };
  const admin = await listenToOperators(parts).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    adminPort: admin?.port,
    stop: async () => {
      isStopping = true;
      await admin?.stop(PATIENCE);
      await close();
    },
  };
}

/** What runs this, for people. */
function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

function self(): Self {
  const figures = {
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return { user: user / 1e6, system: system / 1e6 };
    },
    memory: () => process.memoryUsage.rss(),
    startedAt: Math.round(Date.now() / 1000 - process.uptime()),
  };
  return { runtime: runtime(), figures };
}

async function listenOfThisRuntime(): Promise<Listen> {
  const module = process.versions.bun
    ? await import("../adapters/listen/bun.ts")
    : await import("../adapters/listen/node.ts");
  return module.listen;
}
