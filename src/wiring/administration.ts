import { pets as petFile } from "../adapters/files/items.ts";
import { createAdministrationApp } from "../adapters/http/admin/app.ts";
import type { Report } from "../adapters/http/responses.ts";
import type { Health } from "../adapters/http/site.ts";
import type { Listener } from "../adapters/listen/listener.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import type { RequestHistory } from "../domain/requests/search.ts";
import type { Clock } from "../domain/time.ts";
import type { Backups } from "./backups/backups.ts";
import type { Config } from "./config.ts";
import { exportAudit } from "./export-audit.ts";
import { exportCallers } from "./export-callers.ts";
import { exportItems } from "./export-items.ts";
import { withValidationErrors } from "./import-items.ts";
import { PetImport } from "./import-pets.ts";
import type { Limiting } from "./limiting.ts";
import type { Listeners } from "./listeners.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";
import { readSeedFile } from "./seed-file.ts";
import { stateOf } from "./service-state.ts";
import type { Stores } from "./stores.ts";

/** Failed attempts to sign in per minute, client address and beginning of the token. */
const SIGN_INS = 10;
/** Audit entries about failed attempts to sign in, per minute. */
const FAILURE_ENTRIES = 10;

/** How long the upload of an import may take, in ms. */
const REQUEST_TIMEOUT = 24 * 3_600_000;

type Parts = {
  config: Config;
  stores: Stores;
  limiting: Limiting;
  backups: Backups | undefined;
  health: Health;
  report: Report;
  log: Log;
  clock: Clock;
  runtime: Runtime;
  requests: RequestHistory;
  /** Returns all metrics in Prometheus's text format. */
  metrics: () => Promise<string>;
};

/** Starts the administration listener, unless PETSTORE_ADMIN_PORT is off. @throws StartupError when it cannot listen */
export async function listenForOperators(listeners: Listeners, parts: Parts): Promise<Listener | undefined> {
  const { config, stores, limiting, clock, log, health, report, metrics, runtime, requests } = parts;
  const { admin, adminHosts, deployment, trustedProxies, metricsAccess } = config;
  if (admin === undefined) return undefined;
  const app = createAdministrationApp({
    ...stores,
    requests,
    deployment,
    command: runtime.command,
    hosts: adminHosts,
    trustedProxies,
    metricsAccess,
    metrics,
    health,
    report,
    clock,
    limitStatus: limiting.status,
    exportCallers: (operation) => exportCallers(stores.counters, operation),
    exportPets: (format, status) => exportItems(stores.bulk.snapshot(status), petFile, format),
    importPets: (author, chunks, options) => {
      const target = { ...stores, checksCategories: config.checksCategories, author, clock };
      return withValidationErrors(new PetImport(target).run(chunks, options));
    },
    exportAudit: (filter, format) => exportAudit(stores.audit, filter, format),
    backups: parts.backups,
    readSeedFile: (file) => readSeedFile(file, config.checksCategories),
    state: stateOf(parts),
    signIns: new MemoryMinuteLimiter(clock, SIGN_INS),
    anonymous: new MemoryMinuteLimiter(clock, config.addressLimit),
    failureEntries: new MemoryMinuteLimiter(clock, FAILURE_ENTRIES),
    logRequest: config.logRequests ? (entry) => log.info(entry, "administration request") : undefined,
  });
  const address = { ...admin, isShared: false, requestTimeout: REQUEST_TIMEOUT };
  return listeners.listen(() => app, address, {
    host: "Set PETSTORE_ADMIN_HOST to an address of this machine.",
    port: "Set PETSTORE_ADMIN_PORT to another port, or to off.",
  });
}
