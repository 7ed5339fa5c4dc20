import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createApp } from "../adapters/http/app.ts";
import { ActivityLog } from "../adapters/memory/activity.ts";
import { KeyUsage } from "../adapters/memory/key-usage.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/minute-limiter.ts";
import { UsageLog } from "../adapters/memory/usage-log.ts";
import type { Metrics } from "../adapters/prometheus/metrics.ts";
import type { Clock } from "../domain/clock.ts";
import type { Issued } from "../domain/keys/administration.ts";
import { listenForOperators } from "./administration.ts";
import { backgroundTasks } from "./background-tasks.ts";
import type { Config } from "./config.ts";
import { failureLog } from "./failure-log.ts";
import { createFirstKey } from "./first-key.ts";
import { openInstrumentation } from "./instrumentation.ts";
import { Listeners } from "./listeners.ts";
import type { Log } from "./log.ts";
import { openLimiting } from "./open-limiting.ts";
import { openStores } from "./open-stores.ts";
import type { Runtime } from "./runtime.ts";
import { Scheduler } from "./scheduler.ts";

export type Service = {
  port: number;
  /** The port of the administration listener; undefined where there is none. */
  adminPort: number | undefined;
  /** The key that was created because there was none: its secret can be shown only now. */
  firstKey: Issued | undefined;
  metrics: Metrics;
  /** Answers the requests in flight, saves what was counted, and closes everything. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/** While stopping: how long answers ask clients to close their connections before none are accepted any more, in ms. */
const CLOSE_NOTICE = 1_500;

/** How many requests to free operations a key may send per minute. */
const FREE_USES = 60;

type Options = {
  clock?: Clock;
  /** Whether other processes of this machine listen at the same address. */
  isShared?: boolean;
};

/**
 * Opens the stores, builds the app and listens. When a step fails, what was opened before is closed again.
 * @throws StartupError when the database cannot be used, or an address cannot be listened on
 */
export async function startService(
  config: Config,
  log: Log,
  runtime: Runtime,
  { clock = Date.now, isShared = false }: Options = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const { metrics, tracing, instrumentations } = await openInstrumentation(config, runtime, log);
  stack.defer(() => tracing?.stop());
  const traceIds = () => tracing?.ids() ?? {};
  const onLostConnection = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const stores = await openStores(config.database, onLostConnection, instrumentations);
  stack.defer(() => stores.close());
  const limiting = await openLimiting(config, stores.counters, clock, log, instrumentations);
  stack.defer(() => limiting.close());
  metrics.add({ keyCache: stores.keyCache, fallbacks: limiting.fallbacks });
  const scheduler = stack.use(new Scheduler(log, metrics.tasks));

  const activity = new ActivityLog();
  const usageLog = new UsageLog(randomUUID());
  const ownUsage = new KeyUsage(usageLog, stores.usage);
  let isStopping = false;
  const health = { isStopping: () => isStopping, check: stores.check };
  const report = failureLog(log, clock, traceIds);
  const { host, port, deployment, baseUrls, trustedProxies, corsOrigins } = config;
  const app = createApp({
    pets: stores.pets,
    findBySecret: stores.findBySecret,
    refresh: stores.refresh,
    limiter: limiting.limiter,
    addresses: new MemoryMinuteLimiter(clock, config.addressLimit),
    freeUses: new MemoryMinuteLimiter(clock, FREE_USES),
    activity,
    clock,
    deployment,
    baseUrls,
    trustedProxies,
    corsOrigins,
    health,
    report,
    recorders: [usageLog, metrics.requests],
    lastDay: (keyId, now) => ownUsage.lastDay(keyId, now),
    logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
    trace: tracing && ((context, answer) => tracing.request(context, answer)),
  });

  const listeners = stack.use(new Listeners(runtime.listen));
  const own = await listeners.listen(app, { host, port, isShared }, "Set PORT to another port.");
  // Of several processes at one address, the one that started them listens for operators.
  const parts = { config, stores, limiting, health, report, log, clock, runtime, metrics: () => metrics.text() };
  const admin = isShared ? undefined : await listenForOperators(listeners, parts);
  // The last step that can fail: the secret of a key whose service then does not start would never be shown.
  const firstKey = await createFirstKey(stores, deployment, clock);
  scheduler.start(backgroundTasks({ stores, limiting, activity, usageLog, clock }));

  const opened = stack.move();
  const stop = async () => {
    isStopping = true;
    await pause(CLOSE_NOTICE);
    await opened.disposeAsync();
  };
  let stopped: Promise<void> | undefined;
  return {
    port: own.port,
    adminPort: admin?.port,
    firstKey,
    metrics,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
