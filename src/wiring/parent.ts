import { setTimeout as pause } from "node:timers/promises";
import { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import type { Metrics } from "../adapters/prometheus/metrics.ts";
import { historyIn } from "../domain/requests/search.ts";
import { listenForOperators } from "./administration.ts";
import { clockTask, limitTasks } from "./background-tasks.ts";
import { openBackups } from "./backups/open-backups.ts";
import type { RunCommand } from "./backups/runs.ts";
import { ClockComparison, clocksOf } from "./clock-comparison.ts";
import type { Config } from "./config.ts";
import { type CheckDatabase, DamageReport } from "./damage-report.ts";
import { failureLog } from "./failure-log.ts";
import { type FirstStart, firstStart } from "./first-start.ts";
import { CLOSE_NOTICE, Listeners } from "./listeners.ts";
import type { Log } from "./log.ts";
import { openLimiting } from "./open-limiting.ts";
import { lockStores, openStores } from "./open-stores.ts";
import type { Runtime } from "./runtime.ts";
import { Scheduler } from "./scheduler.ts";
import { serveLimits } from "./serve-limits.ts";
import { StoreStatistics } from "./store-statistics.ts";

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
  const counting = await openLimiting(config, stores.counters, clock, log);
  stack.defer(() => counting.close());
  const { mapFile } = runtime;
  const { limiting, limiterSocket } = await serveLimits({ limiting: counting, mapFile, clock, log }, stack);
  const clocks = new ClockComparison(clocksOf(stores, limiting), clock, log);
  // A failure is reported by the background task, which compares again.
  await clocks.compare().catch(() => {});
  const known = new StoreStatistics(stores, clock);
  const statistics = () => known.current();
  metrics.add({ keyCache: stores.keyCache, fallbacks: limiting.fallbacks, damage, clocks, statistics });
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
  const parts = { config, stores, limiting, backups, health, report, log, clock, runtime, requests, metrics: text };
  const admin = await listenForOperators(listeners, parts);
  const first = await firstStart({ stores, deployment: config.deployment, hasConsole: admin !== undefined, clock });
  scheduler.start([
    ...limitTasks({ limiting, activity: new ActivityBuffer(), stores }),
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
