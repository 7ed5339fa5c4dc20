import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import { RequestBuffer } from "../adapters/memory/requests.ts";
import { UsageBuffer } from "../adapters/memory/usage.ts";
import type { Metrics } from "../adapters/prometheus/metrics.ts";
import { historyIn } from "../domain/requests/search.ts";
import { listenForOperators } from "./administration.ts";
import { backgroundTasks } from "./background-tasks.ts";
import { openBackups } from "./backups/open-backups.ts";
import { ClockComparison, clocksOf } from "./clock-comparison.ts";
import { type Config, listeningOn } from "./config.ts";
import { DamageReport } from "./damage-report.ts";
import { failureLog } from "./failure-log.ts";
import { type FirstStart, firstStart } from "./first-start.ts";
import { openInstrumentation } from "./instrumentation.ts";
import { CLOSE_NOTICE, Listeners } from "./listeners.ts";
import type { Log } from "./log.ts";
import { openLimiting } from "./open-limiting.ts";
import { lockStores, openStores } from "./open-stores.ts";
import { pacedSegments } from "./paced-segments.ts";
import { publicApp } from "./public-app.ts";
import type { Runtime } from "./runtime.ts";
import { Scheduler } from "./scheduler.ts";
import type { ServiceOptions } from "./service-options.ts";
import { StoreStatistics } from "./store-statistics.ts";

export type Service = FirstStart & {
  port: number;
  /** The address at which clients call it, ending in /v1. */
  baseUrl: string;
  /** The port of the administration listener; undefined without one. */
  adminPort: number | undefined;
  metrics: Metrics;
  /**
   * Finishes the requests in flight, saves counters and usage, and closes everything. `notice`: how long responses ask clients
   * before to close their connections, in ms. Calling it again changes nothing.
   */
  stop(notice?: number): Promise<void>;
};

/**
 * Opens the stores, creates the app and listens. When a step fails, closes what was opened before.
 * @throws StartupError when the database cannot be used, or the service cannot listen on an address
 */
export async function startService(
  config: Config,
  log: Log,
  runtime: Runtime,
  {
    clock = Date.now,
    fill,
    portRemedy = "Set PORT to another port.",
    serverClocks,
    worker,
    checkDatabase,
    runCommand,
  }: ServiceOptions = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const { metrics, tracing, instrumentations } = await openInstrumentation(config, runtime, log);
  stack.use(metrics);
  stack.defer(() => tracing?.stop());
  const traceIds = () => tracing?.ids() ?? {};
  const onLostConnection = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const lock = worker === undefined ? stack.use(await lockStores(config)) : undefined;
  const stores = await openStores(config, onLostConnection, instrumentations);
  stack.defer(() => stores.close());
  await fill?.(stores);
  const damage = stack.use(new DamageReport(log));
  if (worker === undefined && stores.lost !== undefined) damage.reportLost(stores.lost);
  const counting = { ...config, ...worker, mapFile: runtime.mapFile };
  const limiting = await openLimiting(counting, stores.counters, clock, log, instrumentations);
  stack.defer(() => limiting.close());
  const clocks = new ClockComparison(serverClocks ?? clocksOf(stores, limiting), clock, log);
  // A failure is reported by the background task, which compares again.
  await clocks.compare().catch(() => {});
  const known = new StoreStatistics(stores, clock);
  const statistics = worker === undefined ? () => known.current() : undefined;
  const { requestHistory: retention } = config;
  const requestBuffer = new RequestBuffer(stores.requests, randomUUID().slice(0, 8));
  metrics.add({
    keyCache: stores.keyCache,
    fallbacks: limiting.fallbacks,
    damage,
    clocks,
    history: requestBuffer,
    statistics,
  });
  const backups = worker === undefined ? openBackups(config, runCommand, clock, log) : undefined;
  if (backups !== undefined) stack.use(backups).addMetrics(metrics);
  const scheduler = stack.use(new Scheduler(log, metrics.tasks));

  const activity = new ActivityBuffer();
  const usageBuffer = new UsageBuffer(randomUUID());
  const stopping = new AbortController();
  const check = () => {
    clocks.requireAgreement();
    return stores.check();
  };
  const health = { isStopping: () => stopping.signal.aborted, check };
  const report = failureLog(log, clock, damage, traceIds);
  const { host, port, deployment } = config;
  const appOn = publicApp({
    ...{ config, stores, limiting, metrics, activity, usageBuffer, requestBuffer, health, report, clock, runtime, log },
    ...{ tracing, traceIds },
    stopping: stopping.signal,
  });

  const listeners = stack.use(new Listeners(runtime.listen));
  const listener = await listeners.listen(
    appOn,
    { host, port, isShared: worker !== undefined },
    { host: "Set HOST to an address of this machine.", port: portRemedy },
  );
  const actual = listeningOn(config, listener.port);
  const parts = {
    ...{ stores, limiting, backups, health, report, log, clock, runtime },
    config: actual,
    metrics: () => metrics.text(),
    requests: historyIn(pacedSegments(stores.requests), retention, clock, () => requestBuffer.write()),
  };
  const admin = worker === undefined ? await listenForOperators(listeners, parts) : undefined;
  // The last step that can fail: otherwise the secret of a new key could be lost with a failed start.
  const first = await firstStart({ stores, deployment, hasConsole: admin !== undefined, clock });
  scheduler.start([
    ...backgroundTasks({ stores, limiting, activity, usageBuffer, requestBuffer, retention, clocks, clock }),
    ...(backups?.tasks ?? []),
  ]);
  if (lock?.isAfterUncleanStop && checkDatabase !== undefined) void damage.check(checkDatabase);

  const opened = stack.move();
  const stop = async (notice: number) => {
    stopping.abort();
    await pause(notice);
    await opened.disposeAsync();
  };
  let stopped: Promise<void> | undefined;
  return {
    port: listener.port,
    baseUrl: actual.baseUrls[deployment],
    adminPort: admin?.port,
    ...first,
    metrics,
    stop: (notice = CLOSE_NOTICE) => {
      stopped ??= stop(notice);
      return stopped;
    },
  };
}
