import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createApp } from "./http/app.ts";
import { type Issued, KeyAdministration } from "./keys/administration.ts";
import { scopes } from "./keys/key.ts";
import type { Listen } from "./listen/listener.ts";
import type { Log } from "./log.ts";
import { ActivityLog } from "./memory/activity.ts";
import { AddressLimiter } from "./memory/address-limiter.ts";
import { MemoryLimiter } from "./memory/limiter.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { SqlitePets } from "./sqlite/pets.ts";

export type Service = {
  port: number;
  /** The key that was made because there was none yet: its secret can be told only now. */
  firstKey: Issued | undefined;
  /** Answers what is in flight, keeps the counters, and closes everything. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/** How often counters are written down, and how often those that are over are dropped, in ms. A crash may lose 1 s of counts. */
const FLUSH_EVERY = 500;
const SWEEP_EVERY = 60_000;
/** While stopping: how long answers ask clients to close their connections, and how long those in flight may take, in ms. */
const FAREWELL = 1_500;
const PATIENCE = 6_000;

/** Opens the stores, builds the app and listens. @throws Unusable when the database cannot be used */
export async function startService(config: Config, log: Log, clock: Clock = Date.now): Promise<Service> {
  const database = new Database(config.databasePath);
  const keys = new SqliteKeys(database);
  const counters = new SqliteCounters(database);
  const limiter = new MemoryLimiter(clock, counters.load());
  const activity = new ActivityLog();

  let isStopping = false;
  const app = createApp({
    ...config,
    pets: new SqlitePets(database),
    keys,
    limiter,
    addresses: new AddressLimiter(clock, config.addressLimit),
    activity,
    clock,
    health: { isStopping: () => isStopping, check: () => database.refresh() },
    refresh: () => database.refresh(),
    report: (message, error, requestId) => log.error({ err: error, requestId }, message),
    logRequest: config.logRequests ? (entry) => log.info(entry, "request") : undefined,
  });
  const listen = await listenOfThisRuntime();
  const listener = await listen(app, config);
  // Once it is sure to run: a key that was made for a service which then cannot listen would never be shown.
  const firstKey = await createFirstKey(keys, config, clock);

  /** Writes down what was counted since the last time; what cannot be written now is written next time. */
  const flush = async () => {
    const usages = limiter.drain();
    const done = activity.drain();
    if (usages.size === 0 && done.lastUsed.size === 0 && done.deprecated.size === 0) return;
    try {
      await counters.save(usages, done);
    } catch (error) {
      limiter.undrain(usages.keys());
      activity.undrain(done);
      log.warn({ err: error }, "counters could not be written; trying again soon");
    }
  };
  const timers = [setInterval(flush, FLUSH_EVERY), setInterval(() => limiter.sweep(), SWEEP_EVERY)];

  const stop = async () => {
    isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, FAREWELL));
    await listener.stop(PATIENCE);
    for (const timer of timers) clearInterval(timer);
    await flush();
    database.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    port: listener.port,
    firstKey,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function createFirstKey(keys: SqliteKeys, { deployment }: Config, clock: Clock): Promise<Issued | undefined> {
  if (!keys.isEmpty()) return undefined;
  const administration = new KeyAdministration(keys, deployment);
  return administration.create({ name: "first key", plan: "business", scopes: [...scopes] }, clock());
}

async function listenOfThisRuntime(): Promise<Listen> {
  const module = process.versions.bun ? await import("./listen/bun.ts") : await import("./listen/node.ts");
  return module.listen;
}
