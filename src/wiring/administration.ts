import { dirname } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { diskOf } from "../adapters/backups/directory.ts";
import { pets as petFile } from "../adapters/files/items.ts";
import { createAdministrationApp } from "../adapters/http/admin/app.ts";
import type { AdministrationServices } from "../adapters/http/admin/operations/operation.ts";
import type { RunningState, Settings } from "../adapters/http/admin/state.ts";
import type { App } from "../adapters/http/app.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { LimitBackend } from "../domain/limits/limiter.ts";
import { type DatabaseConfig, databaseNameOf, type Setting } from "./config.ts";
import { exportAudit, exportCallers, exportItems } from "./exports.ts";
import { importPets, readSeedFile, withValidationErrors } from "./imports.ts";
import type { Stores } from "./stores.ts";

/** Failed attempts to sign in per minute, client address and beginning of the token. */
const SIGN_INS = 10;
/** Audit entries about failed attempts to sign in, per minute. */
const FAILURE_ENTRIES = 10;

type GivenServices = Pick<
  AdministrationServices,
  | "backups"
  | "health"
  | "report"
  | "clock"
  | "requests"
  | "metrics"
  | "webhookSender"
  | "deployment"
  | "operatorCommand"
  | "singleSignOn"
  | "hosts"
  | "trustedProxies"
  | "metricsAccess"
  | "logRequest"
>;

type AdministrationOptions = GivenServices &
  Pick<RunningState, "baseUrls" | "nodes" | "runtime"> & {
    stores: Stores;
    limits: LimitBackend;
    database: DatabaseConfig;
    settings: readonly Setting[];
    /** Requests per minute without valid credentials, per client address. */
    addressLimit: number;
    checksCategories: boolean;
  };

export function administrationApp(options: AdministrationOptions): App {
  const { stores, limits, baseUrls, nodes, runtime, database, settings, addressLimit, checksCategories, ...services } =
    options;
  const { clock } = services;
  return createAdministrationApp({
    ...stores,
    ...services,
    webhooks: stores.webhooks(),
    alerts: stores.alerts(),
    limitStatus: (key) => limits.sharedStatus(key),
    exportCallers: (operation) => exportCallers(stores.counters, operation),
    exportPets: (format, status) => exportItems(stores.bulk.snapshot(status), petFile, format),
    importPets: (author, chunks, options) => {
      const target = { ...stores, checksCategories, author, clock };
      return withValidationErrors(importPets(target, chunks, options));
    },
    exportAudit: (filter, format) => exportAudit(stores.audit, filter, format),
    readSeedFile: (file) => readSeedFile(file, checksCategories),
    state: stateOf(options),
    settings: () => settingsOf(options),
    signIns: new MemoryMinuteLimiter(clock, SIGN_INS),
    anonymous: new MemoryMinuteLimiter(clock, addressLimit),
    failureEntries: new MemoryMinuteLimiter(clock, FAILURE_ENTRIES),
  });
}

/** Returns a function that describes the service, which starts now, and checks its dependencies at each call. */
function stateOf(options: AdministrationOptions): () => Promise<RunningState> {
  const { stores, limits, clock, deployment, baseUrls, nodes, runtime } = options;
  const { engine } = options.database;
  const { server } = limits;
  const startedAt = clock();
  return async () => {
    const [database, redis] = await Promise.all([
      latencyOf(async () => stores.check()),
      server === undefined ? { ok: true, latencyMs: null } : latencyOf(() => server.probe()),
    ]);
    return {
      version: manifest.version,
      deployment,
      baseUrls,
      publicUrl: baseUrls[deployment],
      runtime,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.floor((clock() - startedAt) / 1000)),
      nodes,
      database: { engine, ...database },
      redis: { configured: server !== undefined, ...redis, eviction: server?.eviction ?? null },
    };
  };
}

async function settingsOf({ stores, database, settings }: AdministrationOptions): Promise<Settings> {
  const file = database.engine === "sqlite" && database.path !== IN_MEMORY ? database.path : undefined;
  const disk = file === undefined ? undefined : await diskOf(dirname(file));
  const inMemory = database.engine === "sqlite" && file === undefined;
  return {
    database: {
      location: inMemory ? null : databaseNameOf(database),
      bytes: await Promise.resolve(stores.size()).catch(() => null),
    },
    disk: disk === undefined ? null : { bytes: disk.size, freeBytes: disk.free },
    settings: settings.map(({ name, value = null, source }) => ({ name, value, source })),
  };
}

/** Whether a dependency answers, and its latency in ms. */
async function latencyOf(check: () => Promise<unknown>): Promise<{ ok: boolean; latencyMs: number | null }> {
  const startedAt = performance.now();
  try {
    await check();
    return { ok: true, latencyMs: Math.round((performance.now() - startedAt) * 1000) / 1000 };
  } catch {
    return { ok: false, latencyMs: null };
  }
}
