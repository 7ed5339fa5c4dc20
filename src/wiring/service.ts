import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { RequestBuffer } from "../adapters/history/buffer.ts";
import { historyIn } from "../adapters/history/search.ts";
import { type AppOn, type Parts as AppParts, createApp } from "../adapters/http/app.ts";
import { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import { KeyUsage, UsageBuffer } from "../adapters/memory/usage.ts";
import type { Metrics } from "../adapters/prometheus/metrics.ts";
import type { Deployment } from "../domain/deployment.ts";
import { type Issued, KeyAdministration, type NewKey } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import { rehearsing } from "../domain/keys/store.ts";
import type { LimitBackend } from "../domain/limits/limiter.ts";
import { type IssuedLink, OperatorAdministration } from "../domain/operators.ts";
import type { Clock } from "../domain/time.ts";
import { listenForOperators } from "./administration.ts";
import {
  backgroundTasks,
  clockTask,
  limitTasks,
  pacedSegments,
  Scheduler,
  StoreStatistics,
} from "./background-tasks.ts";
import { openBackups, type RunCommand } from "./backups/backups.ts";
import { type Config, listeningOn } from "./config.ts";
import { type CheckDatabase, ClockComparison, clocksOf, DamageReport, failureLog } from "./health.ts";
import { openInstrumentation } from "./instrumentation.ts";
import { openLimits, serveLimits } from "./limits.ts";
import { CLOSE_NOTICE, Listeners } from "./listeners.ts";
import type { Log, Runtime } from "./log.ts";
import { lockStores, openStores } from "./open-stores.ts";
import type { ServiceOptions } from "./service-options.ts";
import type { Stores } from "./stores.ts";

/** What the first start of an empty store creates; nothing in others. The secrets can be shown only now. */
export type FirstStart = {
  firstKey: Issued | undefined;
  /** The link by which the first operator signs in to the console, unless it is off or there is an operator. */
  firstLink: IssuedLink | undefined;
};

type FirstStartParts = {
  stores: Pick<Stores, "keys" | "operators" | "withLock">;
  deployment: Deployment;
  hasConsole: boolean;
  clock: Clock;
};

/** Of several nodes that start at once, one creates the key and the link. */
export async function firstStart({ stores, deployment, hasConsole, clock }: FirstStartParts): Promise<FirstStart> {
  const { keys, operators, withLock } = stores;
  const author = { operator: { name: "first start" } };
  const request: NewKey = { name: "first key", plan: "business", scopes: [...scopes] };
  return withLock(async () => {
    if (!(await keys.isEmpty())) return { firstKey: undefined, firstLink: undefined };
    // The key comes last: otherwise its secret could be lost with a failed start.
    const firstLink = hasConsole ? await new OperatorAdministration(operators, author).createLink(clock()) : undefined;
    const firstKey = await new KeyAdministration(keys, deployment, author).create(request, clock());
    return { firstKey, firstLink };
  });
}

/** How many requests to free operations a key may send per minute. */
const FREE_USES = 60;

type PublicAppParts = Pick<AppParts, "health" | "report" | "stopping"> &
  Pick<Awaited<ReturnType<typeof openInstrumentation>>, "metrics" | "tracing"> & {
    config: Config;
    stores: Stores;
    limits: LimitBackend;
    activity: ActivityBuffer;
    usageBuffer: UsageBuffer;
    requestBuffer: RequestBuffer;
    clock: Clock;
    runtime: Runtime;
    log: Log;
    /** Of the current request, for the log. */
    traceIds: () => object;
  };

/** Connects the HTTP app of the public interface. */
export function publicApp({ config, stores, limits, clock, runtime, log, traceIds, ...parts }: PublicAppParts): AppOn {
  const { deployment, trustedProxies, corsOrigins } = config;
  const { pets, categories, orders, findKey, refresh } = stores;
  const { metrics, tracing, activity, usageBuffer, requestBuffer, health, report, stopping } = parts;
  const keyUsage = new KeyUsage(usageBuffer, stores.usage);
  return (listening, newResponse) =>
    createApp({
      ...{ pets, categories, orders, findKey, refresh },
      limiter: limits,
      addresses: new MemoryMinuteLimiter(clock, config.addressLimit),
      freeUses: new MemoryMinuteLimiter(clock, FREE_USES),
      ...{ activity, clock, deployment, trustedProxies, corsOrigins, health, report, stopping },
      command: runtime.publicCommand,
      simulationOf: deployment === "staging" ? rehearsing(stores.keys) : undefined,
      baseUrls: listeningOn(config, listening).baseUrls,
      recorders: [usageBuffer, metrics.requests],
      history: config.requestHistory.requests === 0 ? undefined : requestBuffer,
      lastDay: (keyId, now) => keyUsage.lastDay(keyId, now),
      logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
      trace: tracing && ((context, answer) => tracing.request(context, answer)),
      newResponse,
    });
}

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
  const limits = await openLimits({
    redisUrl: config.redisUrl,
    limiterSocket: worker?.limiterSocket,
    nodes: config.nodes,
    counters: stores.counters,
    mapFile: runtime.mapFile,
    clock,
    log,
    instrumentations,
  });
  stack.defer(() => limits.close());
  const clocks = new ClockComparison(serverClocks ?? clocksOf(stores, limits), clock, log);
  // A failure is reported by the background task, which compares again.
  await clocks.compare().catch(() => {});
  const known = new StoreStatistics(stores, clock);
  const statistics = worker === undefined ? () => known.current() : undefined;
  const { requestHistory: retention } = config;
  const requestBuffer = new RequestBuffer(stores.requests, randomUUID().slice(0, 8));
  metrics.add({
    keyCache: stores.keyCache,
    fallbacks: limits.fallbacks,
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
    ...{ config, stores, limits, metrics, activity, usageBuffer, requestBuffer, health, report, clock, runtime, log },
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
    ...{ stores, limits, backups, health, report, log, clock, runtime },
    config: actual,
    metrics: () => metrics.text(),
    requests: historyIn(pacedSegments(stores.requests), retention, clock, () => requestBuffer.write()),
  };
  const admin = worker === undefined ? await listenForOperators(listeners, parts) : undefined;
  // The last step that can fail: otherwise the secret of a new key could be lost with a failed start.
  const first = await firstStart({ stores, deployment, hasConsole: admin !== undefined, clock });
  scheduler.start([
    ...backgroundTasks({ stores, limits, activity, usageBuffer, requestBuffer, retention, clocks, clock }),
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

export type Parent = FirstStart & {
  /** Undefined if PETSTORE_ADMIN_PORT is off. */
  adminPort: number | undefined;
  /** The path of the socket where workers count limits. Undefined with Redis. */
  limiterSocket: string | undefined;
  /** Finishes the requests of operators in flight. Workers can still count limits. */
  stopListening(): Promise<void>;
  /** Saves the limits, and closes everything. */
  stop(): Promise<void>;
};

type Options = {
  /** The metrics of this process, and those of all processes as text. */
  metrics: Metrics;
  text: () => Promise<string>;
  checkDatabase: CheckDatabase;
  runCommand: RunCommand;
};

/**
 * Starts what workers have once, in their parent process: the lock of the database, the administration listener and, without
 * Redis, the limits. @throws StartupError as `startService` does
 */
export async function startParent(config: Config, log: Log, runtime: Runtime, options: Options): Promise<Parent> {
  const { metrics, text, checkDatabase, runCommand } = options;
  await using stack = new AsyncDisposableStack();
  stack.use(metrics);
  const clock = Date.now;
  const onLostConnection = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const lock = stack.use(await lockStores(config));
  const stores = await openStores(config, onLostConnection);
  stack.defer(() => stores.close());
  const damage = stack.use(new DamageReport(log));
  if (stores.lost !== undefined) damage.reportLost(stores.lost);
  const { redisUrl, nodes } = config;
  const { mapFile } = runtime;
  const { counters } = stores;
  const counting = { redisUrl, limiterSocket: undefined, nodes, counters, mapFile, clock, log, instrumentations: [] };
  const local = await openLimits(counting);
  stack.defer(() => local.close());
  const { limits, limiterSocket } = await serveLimits(local, { mapFile, clock, log }, stack);
  const clocks = new ClockComparison(clocksOf(stores, limits), clock, log);
  // A failure is reported by the background task, which compares again.
  await clocks.compare().catch(() => {});
  const known = new StoreStatistics(stores, clock);
  const statistics = () => known.current();
  metrics.add({ keyCache: stores.keyCache, fallbacks: limits.fallbacks, damage, clocks, statistics });
  const backups = openBackups(config, runCommand, clock, log);
  if (backups !== undefined) stack.use(backups).addMetrics(metrics);
  const scheduler = stack.use(new Scheduler(log, metrics.tasks));
  const listeners = stack.use(new Listeners(runtime.listen));
  let isStopping = false;
  const check = () => {
    clocks.requireAgreement();
    return stores.check();
  };
  const health = { isStopping: () => isStopping, check };
  const report = failureLog(log, clock, damage);
  // The workers write the history, and delete from it.
  const requests = historyIn(stores.requests, config.requestHistory, clock);
  const parts = { config, stores, limits, backups, health, report, log, clock, runtime, requests, metrics: text };
  const admin = await listenForOperators(listeners, parts);
  const first = await firstStart({ stores, deployment: config.deployment, hasConsole: admin !== undefined, clock });
  scheduler.start([
    ...limitTasks({ limits, activity: new ActivityBuffer(), stores }),
    clockTask(clocks),
    ...(backups?.tasks ?? []),
  ]);
  if (lock?.isAfterUncleanStop) void damage.check(checkDatabase);
  const opened = stack.move();
  return {
    ...first,
    adminPort: admin?.port,
    limiterSocket,
    stopListening: async () => {
      isStopping = true;
      await pause(CLOSE_NOTICE);
      await listeners[Symbol.asyncDispose]();
    },
    stop: () => opened.disposeAsync(),
  };
}
