import manifest from "../../package.json" with { type: "json" };
import { pets as petFile } from "../adapters/files/items.ts";
import { createAdministrationApp } from "../adapters/http/admin/app.ts";
import type { AdministrationServices } from "../adapters/http/admin/operations/operation.ts";
import type { RunningState } from "../adapters/http/admin/state.ts";
import type { App } from "../adapters/http/app.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import type { LimitBackend } from "../domain/limits/limiter.ts";
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
  | "hosts"
  | "trustedProxies"
  | "metricsAccess"
  | "logRequest"
>;

type AdministrationOptions = GivenServices &
  Pick<RunningState, "baseUrls" | "nodes" | "runtime"> & {
    stores: Stores;
    limits: LimitBackend;
    engine: RunningState["database"]["engine"];
    /** Requests per minute without valid credentials, per client address. */
    addressLimit: number;
    checksCategories: boolean;
  };

export function administrationApp(options: AdministrationOptions): App {
  const { stores, limits, baseUrls, nodes, runtime, engine, addressLimit, checksCategories, ...services } = options;
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
    signIns: new MemoryMinuteLimiter(clock, SIGN_INS),
    anonymous: new MemoryMinuteLimiter(clock, addressLimit),
    failureEntries: new MemoryMinuteLimiter(clock, FAILURE_ENTRIES),
  });
}

/** Returns a function that describes the service, which starts now, and checks its dependencies at each call. */
function stateOf(options: AdministrationOptions): () => Promise<RunningState> {
  const { stores, limits, clock, deployment, baseUrls, nodes, runtime, engine } = options;
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
