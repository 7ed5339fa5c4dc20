import manifest from "../../package.json" with { type: "json" };
import { createAdministrationApp } from "../adapters/http/admin/app.ts";
import type { Services } from "../adapters/http/admin/operations/operation.ts";
import type { State } from "../adapters/http/admin/state.ts";
import type { Report } from "../adapters/http/errors.ts";
import type { Health } from "../adapters/http/site.ts";
import type { Listen, Listener } from "../adapters/listen/listener.ts";
import { AddressLimiter } from "../adapters/memory/address-limiter.ts";
import type { Author } from "../domain/audit/entry.ts";
import type { Clock } from "../domain/clock.ts";
import { type Config, hostInUrl } from "./config.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import { exportPets, PetAdministration, refusing } from "./pet-administration.ts";
import type { Stores } from "./stores.ts";

/** Attempts to sign in that one client address may make in a minute. */
const SIGN_INS = 10;

/** How long a file of pets may take to arrive, in ms. */
const LONGEST_REQUEST = 24 * 3_600_000;

type Parts = {
  config: Config;
  stores: Stores;
  limiting: Limiting;
  health: Health;
  report: Report;
  log: Log;
  clock: Clock;
  listen: Listen;
  /** What runs the service, such as `Bun 1.4.5`. */
  runtime: string;
  /** Everything that was measured, in Prometheus's text format. */
  metrics: () => Promise<string>;
};

/** Listens to operators, where the configuration has them listened to. @throws when the address cannot be had */
export async function listenToOperators(parts: Parts): Promise<Listener | undefined> {
  const { config, stores, limiting, clock, listen, log } = parts;
  if (config.admin === undefined) return undefined;
  const app = createAdministrationApp({
    ...config,
    ...stores,
    ...parts,
    limitStatus: limiting.standing,
    petAdministration: petAdministrationOf(stores, clock),
    state: stateOf(parts),
    signIns: new AddressLimiter(clock, SIGN_INS),
    anonymous: new AddressLimiter(clock, config.addressLimit),
    logRequest: config.logRequests ? (entry) => log.info(entry, "administration request") : undefined,
  });
  const { host, port } = config.admin;
  return listen(app, { host, port, isShared: false, longestRequest: LONGEST_REQUEST }).catch((error) => {
    const address = `${hostInUrl(host)}:${port}`;
    throw new Error(
      `Operators cannot be listened to at ${address}: ${error instanceof Error ? error.message : error} Set PETSTORE_ADMIN_PORT to another port, or to off.`,
    );
  });
}

function petAdministrationOf(stores: Stores, clock: Clock): Services["petAdministration"] {
  const by = (author: Author) => new PetAdministration(stores, author, clock);
  return {
    create: (author, pet) => by(author).create(pet),
    import: (author, chunks, format) => refusing(by(author).import(chunks, format)),
    export: (format, status) => exportPets(stores.bulk, format, status),
  };
}

function stateOf({ config, stores, limiting, clock, runtime }: Parts): () => Promise<State> {
  const startedAt = clock();
  return async () => {
    const [database, redis] = await Promise.all([
      answering(async () => stores.check()),
      limiting.check === undefined ? { ok: true, latencyMs: null } : answering(limiting.check),
    ]);
    return {
      version: manifest.version,
      deployment: config.deployment,
      baseUrls: config.baseUrls,
      publicUrl: config.baseUrls[config.deployment],
      runtime,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.floor((clock() - startedAt) / 1000)),
      nodes: config.nodes,
      database: { engine: config.database.engine, ...database },
      redis: { configured: limiting.check !== undefined, ...redis },
    };
  };
}

/** Whether something answers, and how fast. */
async function answering(ask: () => Promise<unknown>): Promise<{ ok: boolean; latencyMs: number | null }> {
  const asked = performance.now();
  try {
    await ask();
    return { ok: true, latencyMs: Math.round((performance.now() - asked) * 1000) / 1000 };
  } catch {
    return { ok: false, latencyMs: null };
  }
}
