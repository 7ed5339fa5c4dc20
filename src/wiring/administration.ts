import { setImmediate as nextTurn } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import type { Format, WritableContent } from "../adapters/files/content.ts";
import { csvRows } from "../adapters/files/csv-table.ts";
import { auditEntries, pets as petFile } from "../adapters/files/items.ts";
import { headerOf, linesOf } from "../adapters/files/write.ts";
import { createAdministrationApp } from "../adapters/http/admin/app.ts";
import type { RunningState } from "../adapters/http/admin/state.ts";
import type { Report } from "../adapters/http/responses.ts";
import type { Health } from "../adapters/http/site.ts";
import type { Listener } from "../adapters/listen/listener.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import type { AuditFilter, AuditLog, RecordedEntry } from "../domain/audit.ts";
import type { Caller, CallerPosition, Counters } from "../domain/keys/store.ts";
import type { LimitBackend } from "../domain/limits/limiter.ts";
import type { RequestHistory } from "../domain/requests.ts";
import { type Clock, timestampOf } from "../domain/time.ts";
import type { Backups } from "./backups/backups.ts";
import type { Config } from "./config.ts";
import { PetImport, readSeedFile, withValidationErrors } from "./imports.ts";
import type { Listeners } from "./listeners.ts";
import type { Log, Runtime } from "./log.ts";
import type { Stores } from "./stores.ts";

/** Yields pages of items as the text of a file. Calls `exported` with the size of each page. */
export async function* exportItems<Item>(
  pages: Iterable<Item[]> | AsyncIterable<Item[]>,
  content: WritableContent<Item>,
  format: Format,
  exported: (count: number) => void = () => {},
): AsyncGenerator<string> {
  const header = headerOf(format, content);
  if (header !== undefined) yield header;
  for await (const page of pages) {
    exported(page.length);
    yield linesOf(format, content, page);
    // A fast reader takes each page at once, and pages of SQLite are read at once: requests need a turn between them.
    await nextTurn();
  }
}

/** Entries that are read at a time: reading and formatting them takes about a millisecond. */
const PAGE = 25;

/** Yields the matching entries of the audit log, newest first, as the text of a file. */
function exportAudit(audit: AuditLog, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  return exportItems(pagesOf(audit, filter), auditEntries, format);
}

async function* pagesOf(audit: AuditLog, filter: AuditFilter): AsyncGenerator<RecordedEntry[]> {
  let page: RecordedEntry[] = [];
  do {
    const last = page.at(-1);
    page = await audit.list({ ...filter, limit: PAGE, ...(last && { before: last.id }) });
    yield page;
  } while (page.length === PAGE);
}

const PAGE_SIZE = 500;
const HEADER = ["operation", "keyId", "keyName", "calls", "lastCalledAt", "userAgent", "ownerName", "ownerEmail"];

/** Yields the callers of a deprecated operation, or of all, as CSV. In the order of ids, each caller comes once. */
async function* exportCallers(
  counters: Pick<Counters, "callers">,
  operation: string | undefined,
): AsyncGenerator<string> {
  yield csvRows([HEADER]);
  let after: CallerPosition | undefined;
  do {
    const page = await counters.callers({ operation, order: "keyId", limit: PAGE_SIZE, after });
    if (page.length > 0) yield csvRows(page.map(fieldsOf));
    after = page.length === PAGE_SIZE ? page.at(-1) : undefined;
  } while (after !== undefined);
}

function fieldsOf({ operation, keyId, keyName, calls, lastCalledAt, userAgent = "", owner }: Caller): string[] {
  const { name = "", email = "" } = owner ?? {};
  return [operation, keyId, keyName, String(calls), timestampOf(lastCalledAt), userAgent, name, email];
}

type StateSources = {
  config: Pick<Config, "deployment" | "baseUrls" | "nodes" | "database">;
  stores: Pick<Stores, "check">;
  limits: Pick<LimitBackend, "server">;
  clock: Clock;
  runtime: { name: string };
};

/** Returns a function that describes the service, which starts now, and checks its dependencies at each call. */
function stateOf({ config, stores, limits, clock, runtime }: StateSources): () => Promise<RunningState> {
  const startedAt = clock();
  const { server } = limits;
  return async () => {
    const [database, redis] = await Promise.all([
      latencyOf(async () => stores.check()),
      server === undefined ? { ok: true, latencyMs: null } : latencyOf(() => server.probe()),
    ]);
    return {
      version: manifest.version,
      deployment: config.deployment,
      baseUrls: config.baseUrls,
      publicUrl: config.baseUrls[config.deployment],
      runtime: runtime.name,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.floor((clock() - startedAt) / 1000)),
      nodes: config.nodes,
      database: { engine: config.database.engine, ...database },
      redis: { configured: server !== undefined, ...redis },
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

/** Failed attempts to sign in per minute, client address and beginning of the token. */
const SIGN_INS = 10;
/** Audit entries about failed attempts to sign in, per minute. */
const FAILURE_ENTRIES = 10;

/** How long the upload of an import may take, in ms. */
const REQUEST_TIMEOUT = 24 * 3_600_000;

type AdministrationParts = {
  config: Config;
  stores: Stores;
  limits: LimitBackend;
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
export async function listenForOperators(
  listeners: Listeners,
  parts: AdministrationParts,
): Promise<Listener | undefined> {
  const { config, stores, limits, clock, log, health, report, metrics, runtime, requests } = parts;
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
    limitStatus: (key) => limits.sharedStatus(key),
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
