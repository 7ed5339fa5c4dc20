import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import { RequestBuffer } from "../adapters/history/buffer.ts";
import { historyIn } from "../adapters/history/search.ts";
import { type App, type AppOn, createApp, type PublicServices } from "../adapters/http/app.ts";
import type { Listen, ListenAddress, Listener } from "../adapters/listen/listener.ts";
import { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import { KeyUsage, UsageBuffer } from "../adapters/memory/usage.ts";
import { OpenIdProvider } from "../adapters/oidc/single-sign-on.ts";
import { Metrics } from "../adapters/prometheus/metrics.ts";
import type { ProcessStats } from "../adapters/prometheus/process.ts";
import { webhookSender } from "../adapters/webhooks/send.ts";
import type { Deployment } from "../domain/deployment.ts";
import { StartupError } from "../domain/errors.ts";
import { type Issued, KeyAdministration, type NewKey } from "../domain/keys/administration.ts";
import { defaultScopes } from "../domain/keys/key.ts";
import { rehearsing } from "../domain/keys/store.ts";
import { type IssuedLink, OperatorAdministration } from "../domain/operators.ts";
import type { Clock } from "../domain/time.ts";
import { administrationApp } from "./administration.ts";
import { alertTask } from "./alerts.ts";
import {
  clockTask,
  evictionTasks,
  limitTasks,
  pacedSegments,
  requestTasks,
  retentionTask,
  Scheduler,
  statisticsOf,
} from "./background-tasks.ts";
import { openBackups, type RunCommand } from "./backups/backups.ts";
import { type Config, hostInUrl, linksMislead, listeningOn } from "./config.ts";
import { defaultAdminPorts } from "./config-schemas.ts";
import { type CheckDatabase, ClockComparison, clocksOf, DamageReport, type ServerClocks } from "./health.ts";
import { openTracing } from "./instrumentation.ts";
import { openLimits, serveLimits } from "./limits.ts";
import { failureLog, type Log } from "./log.ts";
import { lockStores, openStores, type Stores } from "./stores.ts";
import { WebhookDeliveries } from "./webhooks.ts";

/** The JavaScript runtime of this process, and how it was started. */
export type Runtime = {
  /** Name and version, such as `Bun 1.4.5`. */
  name: string;
  /** How an operator creates another on the command line; undefined if no command reaches the database. */
  operatorCommand: string | undefined;
  /** How an operator runs this program, for pages that anybody reads: without settings, paths and the name of a container. */
  publicCommand: string;
  listen: Listen;
  /** Maps a file into memory that processes share. Undefined if the runtime cannot. @throws when the file cannot be mapped */
  mapFile: ((path: string) => Uint8Array) | undefined;
  process: ProcessStats;
};

/**
 * What a process does of the service: all of it; or as a worker it serves clients, at an address that it shares with others;
 * or as the parent of workers it has what there is once: the lock of the database, the administration interface, backups and,
 * without Redis, the limits.
 */
type Role = "single" | "parent" | "worker";

export type ServiceOptions = {
  /** By default `single`. */
  role?: Role;
  /** In a worker: the path of the socket where its parent counts limits, unless Redis does. */
  limiterSocket?: string | undefined;
  /** In a worker: the identity of the lock that its parent holds. */
  lock?: string | undefined;
  clock?: Clock;
  /** Fills the stores before the first request. If it creates a key, there is no first key. */
  fill?: ((stores: Stores) => Promise<void>) | undefined;
  /** Checks the database after an unclean stop; without it there is no check. */
  checkDatabase?: CheckDatabase;
  /** Runs commands that make and verify backups; without it there are none. */
  runCommand?: RunCommand;
  /** What to do when it cannot listen on its port. */
  portRemedy?: string;
  /** What to do about links that lead clients to themselves, unless a setting of the base address helps. */
  addressRemedy?: string;
  /** The clocks to compare it with, by default those of PostgreSQL and Redis. */
  serverClocks?: ServerClocks;
};

export type Service = FirstStart & {
  port: number;
  /** The address at which clients call it, ending in /v1. */
  baseUrl: string;
  /** The port of the administration listener; undefined without one. */
  adminPort: number | undefined;
  /** In a parent: the path of the socket where workers count limits; undefined with Redis. */
  limiterSocket: string | undefined;
  /** The identity of the lock that it holds; undefined in a worker, and on PostgreSQL. */
  lock: string | undefined;
  metrics: Metrics;
  /**
   * Finishes the requests in flight. `notice`: how long responses ask clients before to close their connections, in ms.
   * Calling it again changes nothing.
   */
  stopListening(notice?: number): Promise<void>;
  /** Does the same, saves counters and usage, and closes everything. Calling it again changes nothing. */
  stop(notice?: number): Promise<void>;
};

/**
 * Opens the stores, creates the apps and listens. When a step fails, closes what was opened before.
 * @throws StartupError when the database cannot be used, or the service cannot listen on an address
 */
export async function startService(
  config: Config,
  log: Log,
  runtime: Runtime,
  options: ServiceOptions = {},
): Promise<Service> {
  const { role = "single", clock = Date.now, checkDatabase } = options;
  const servesClients = role !== "parent";
  const isWorker = role === "worker";
  const { database, deployment, requestHistory: kept } = config;
  const { mapFile } = runtime;
  await using stack = new AsyncDisposableStack();

  const metrics = stack.use(
    new Metrics({ version: manifest.version, runtime: runtime.name, deployment }, runtime.process),
  );
  const tracing = servesClients ? await openTracing(config.tracing, deployment, log) : undefined;
  stack.defer(() => tracing?.stop());
  const traceIds = () => tracing?.ids() ?? {};
  // The calls that operators make of a parent are not those of clients.
  const instrumentations = servesClients ? [...(tracing ? [tracing] : []), metrics.stores] : [];

  const lock = isWorker ? undefined : stack.use(await lockStores({ database, deployment }));
  const stores = await openStores(
    { ...config, lock: lock?.identity ?? options.lock, isAlone: role === "single" },
    (error) => log.warn({ err: error }, "a connection to the database was lost"),
    instrumentations,
  );
  stack.defer(() => stores.close());
  const { version, current } = stores.schema;
  if (!isWorker && version > current) {
    log.warn(
      { schema: version, supported: current },
      "a newer petstore wrote the database, which this version may still use",
    );
  }
  await options.fill?.(stores);
  const damage = stack.use(new DamageReport(log));
  if (!isWorker && stores.lost !== undefined) damage.reportLost(stores.lost);
  if (lock?.damagedMark !== undefined) damage.reportDamagedMark(lock.damagedMark);

  const opened = await openLimits({
    redisUrl: config.redisUrl,
    limiterSocket: options.limiterSocket,
    nodes: config.nodes,
    counters: stores.counters,
    mapFile,
    clock,
    log,
    instrumentations,
  });
  stack.defer(() => opened.close());
  const { limits, limiterSocket } = servesClients
    ? { limits: opened, limiterSocket: undefined }
    : await serveLimits(opened, { mapFile, clock, log }, stack);

  const clocks = new ClockComparison(options.serverClocks ?? clocksOf(stores, limits), clock, log);
  // A failure is reported by the background task, which compares again.
  await clocks.compare().catch(() => {});

  const activity = new ActivityBuffer();
  const usageBuffer = new UsageBuffer(randomUUID());
  const requestBuffer = new RequestBuffer(stores.requests, randomUUID().slice(0, 8), kept.share);
  const sender = webhookSender({ hosts: config.webhookHosts });
  const webhooks = isWorker
    ? undefined
    : new WebhookDeliveries({
        ...stores,
        webhooks: stores.webhooks(),
        alerts: stores.alerts(),
        sender,
        process: randomUUID(),
        clock,
        log,
      });
  metrics.add({
    keyCache: stores.keyCache,
    fallbacks: limits.fallbacks,
    damage,
    clocks,
    mayEvict: () => limits.server?.eviction !== undefined,
    history: servesClients ? requestBuffer : undefined,
    webhooks: webhooks?.counts,
    statistics: isWorker ? undefined : statisticsOf(stores, clock),
  });
  const backups = isWorker ? undefined : openBackups(config, options.runCommand, clock, log);
  if (backups !== undefined) stack.use(backups).addMetrics(metrics);
  const scheduler = stack.use(new Scheduler(log, metrics.tasks));

  const stopping = new AbortController();
  const check = () => {
    clocks.requireAgreement();
    return stores.check();
  };
  const health = { isStopping: () => stopping.signal.aborted, check };
  const report = failureLog(log, clock, damage, traceIds);
  const listeners: Listener[] = [];
  // They stop together, once.
  const closeListeners = async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.stop(STOP_TIMEOUT)));
  };
  stack.defer(closeListeners);

  // A parent has no clients that a search could delay.
  const segments = servesClients ? pacedSegments(stores.requests) : stores.requests;
  const pastRequests = historyIn(segments, kept, clock, () => requestBuffer.write());

  // With 0 it is known later.
  let adminPort = config.admin?.port || defaultAdminPorts[deployment];
  const listener =
    servesClients &&
    (await listenOn(
      runtime.listen,
      (actualPort) =>
        publicApp({
          stores,
          usageBuffer,
          addressLimit: config.addressLimit,
          pastRequests,
          limiter: limits,
          activity,
          health,
          report,
          stopping: stopping.signal,
          clock,
          deployment,
          command: runtime.publicCommand,
          adminPort: () => adminPort,
          baseUrls: listeningOn(config, actualPort).baseUrls,
          trustedProxies: config.trustedProxies,
          corsOrigins: config.corsOrigins,
          hasAccount: config.hasAccount,
          hasMcp: config.hasMcp,
          recorders: [usageBuffer, metrics.requests],
          history: kept.requests === 0 ? undefined : requestBuffer,
          logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
          trace: tracing && ((context, answer) => tracing.request(context, answer)),
        }),
      { host: config.host, port: config.port, isShared: isWorker },
      { host: "Set HOST to an address of this machine.", port: options.portRemedy ?? "Set PORT to another port." },
    ));
  if (listener) listeners.push(listener);
  const listening = listeningOn(config, listener ? listener.port : config.port);
  const { port, baseUrls } = listening;
  if (!isWorker && linksMislead(listening)) {
    const setting = deployment === "staging" ? "PETSTORE_STAGING_BASE_URL" : "PETSTORE_BASE_URL";
    const remedy = options.addressRemedy ?? `set ${setting}`;
    log.warn({ baseUrl: baseUrls[deployment] }, `links lead clients of other machines to themselves: ${remedy}`);
  }

  const admin =
    !isWorker &&
    config.admin !== undefined &&
    (await listenOn(
      runtime.listen,
      () =>
        administrationApp({
          stores: webhooks === undefined ? stores : { ...stores, webhooks: () => webhooks.administered },
          limits,
          backups,
          health,
          report,
          clock,
          requests: pastRequests,
          webhookSender: sender,
          metrics: () => metrics.workers.text?.() ?? metrics.text(),
          deployment,
          baseUrls,
          nodes: config.nodes,
          database,
          settings: config.settings,
          runtime: runtime.name,
          operatorCommand: runtime.operatorCommand,
          singleSignOn: config.provider && new OpenIdProvider(config.provider),
          hosts: config.adminHosts,
          trustedProxies: config.trustedProxies,
          metricsAccess: config.metricsAccess,
          addressLimit: config.addressLimit,
          checksCategories: config.checksCategories,
          logRequest: config.logRequests ? (entry) => log.info(entry, "administration request") : undefined,
        }),
      { ...config.admin, isShared: false },
      {
        host: "Set PETSTORE_ADMIN_HOST to an address of this machine.",
        port: "Set PETSTORE_ADMIN_PORT to another port, or to off.",
      },
    ));
  if (admin) adminPort = admin.port;
  if (admin) listeners.push(admin);
  // The last step that can fail: otherwise the secret of a new key could be lost with a failed start.
  const first = isWorker ? NOTHING : await firstStart({ stores, deployment, hasConsole: admin !== false, clock });
  scheduler.start([
    ...limitTasks(limits, activity, stores.counters),
    clockTask(clocks),
    ...(isWorker
      ? []
      : [...evictionTasks(limits, log), retentionTask({ stores, days: config.retention, clocks, clock, log })]),
    ...(servesClients
      ? requestTasks({
          stores,
          limits,
          activity,
          usageBuffer,
          requestBuffer,
          retention: kept,
          events: config.events,
          clock,
        })
      : []),
    ...(backups?.tasks ?? []),
    ...(webhooks === undefined ? [] : [webhooks.task, alertTask({ stores, damage, backups, database, clock })]),
  ]);
  if (lock?.isAfterUncleanStop && checkDatabase !== undefined) void damage.check(checkDatabase);
  const everything = stack.move();

  let ended: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const stopListening = (notice = CLOSE_NOTICE): Promise<void> => {
    stopping.abort();
    ended ??= pause(notice).then(closeListeners);
    return ended;
  };
  return {
    ...first,
    port,
    baseUrl: baseUrls[deployment],
    adminPort: admin ? admin.port : undefined,
    limiterSocket,
    lock: lock?.identity,
    metrics,
    stopListening,
    stop: (notice) => {
      stopped ??= stopListening(notice).then(() => everything.disposeAsync());
      return stopped;
    },
  };
}

/** How many requests to free operations a key may send per minute. */
const FREE_USES = 60;

type PublicAppOptions = Omit<PublicServices, keyof Stores | "addresses" | "freeUses" | "simulationOf" | "lastDay"> & {
  stores: Stores;
  usageBuffer: UsageBuffer;
  addressLimit: number;
};

function publicApp({ stores, usageBuffer, addressLimit, ...services }: PublicAppOptions): App {
  const { forClients, events, keys, findKey, refresh, usage, counters } = stores;
  const { clock, deployment } = services;
  const keyUsage = new KeyUsage(usageBuffer, usage);
  return createApp({
    ...services,
    ...forClients,
    events,
    findKey,
    keys,
    counters,
    usage,
    refresh,
    addresses: new MemoryMinuteLimiter(clock, addressLimit),
    freeUses: new MemoryMinuteLimiter(clock, FREE_USES),
    simulationOf: deployment === "staging" ? rehearsing(keys) : undefined,
    lastDay: (keyId, now) => keyUsage.lastDay(keyId, now),
  });
}

/** What the first start of an empty store creates; nothing in others. The secrets can be shown only now. */
type FirstStart = {
  firstKey: Issued | undefined;
  /** The link by which the first operator signs in to the console, unless it is off or there is an operator. */
  firstLink: IssuedLink | undefined;
};

const NOTHING: FirstStart = { firstKey: undefined, firstLink: undefined };

type FirstStartOptions = {
  stores: Pick<Stores, "keys" | "operators" | "withLock">;
  deployment: Deployment;
  hasConsole: boolean;
  clock: Clock;
};

/** Of several nodes that start at once, one creates the key and the link. */
export async function firstStart({ stores, deployment, hasConsole, clock }: FirstStartOptions): Promise<FirstStart> {
  const { keys, operators, withLock } = stores;
  const author = { operator: { name: "first start" } };
  const request: NewKey = { name: "first key", plan: "business", scopes: [...defaultScopes] };
  return withLock(async () => {
    if (!(await keys.isEmpty())) return NOTHING;
    // The key comes last: otherwise its secret could be lost with a failed start.
    const firstLink = hasConsole ? await new OperatorAdministration(operators, author).createLink(clock()) : undefined;
    const firstKey = await new KeyAdministration(keys, deployment, author).create(request, clock());
    return { firstKey, firstLink };
  });
}

/** How long responses ask clients to close their connections before the listeners close, in ms, unless a stop says otherwise. */
const CLOSE_NOTICE = 1_500;
/** How long requests in flight may take while the service stops, in ms. */
const STOP_TIMEOUT = 6_000;

/** The codes of failures that another port avoids: it is taken, or only root may listen on it. */
const PORT_FAILURES: unknown[] = ["EADDRINUSE", "EACCES"];

/** What to do when the host, or the port of an address is the cause. */
type Remedies = { host: string; port: string };

/** Starts a listener with the app for its actual port. @throws StartupError, with a remedy, when it cannot listen on the address */
async function listenOn(listen: Listen, appOn: AppOn, address: ListenAddress, remedies: Remedies): Promise<Listener> {
  try {
    return await listen(appOn, address);
  } catch (error) {
    const hostAndPort = `${hostInUrl(address.host)}:${address.port}`;
    const { remedy, reason } = await explained(error, address.host, remedies);
    throw new StartupError(`The service cannot listen on ${hostAndPort}. ${remedy} Reason: ${reason}`);
  }
}

/** The remedy for a failure to listen, and its reason. For a host that is unknown, Bun gives the reason of some other error. */
async function explained(error: unknown, host: string, remedies: Remedies) {
  const cause: unknown = await lookup(host).then(
    () => error,
    (unknownHost) => unknownHost,
  );
  if (!(cause instanceof Error)) return { remedy: remedies.port, reason: cause };
  const isPort = cause === error && "code" in cause && PORT_FAILURES.includes(cause.code);
  return { remedy: isPort ? remedies.port : remedies.host, reason: cause.message };
}
