import manifest from "../../package.json" with { type: "json" };
import type { RunningState } from "../adapters/http/admin/state.ts";
import type { Clock } from "../domain/time.ts";
import type { Config } from "./config.ts";
import type { Limiting } from "./limiting.ts";
import type { Stores } from "./stores.ts";

type Parts = {
  config: Pick<Config, "deployment" | "baseUrls" | "nodes" | "database">;
  stores: Pick<Stores, "check">;
  limiting: Pick<Limiting, "check">;
  clock: Clock;
  runtime: { name: string };
};

/** Returns a function that describes the service, which starts now, and checks its dependencies at each call. */
export function stateOf({ config, stores, limiting, clock, runtime }: Parts): () => Promise<RunningState> {
  const startedAt = clock();
  return async () => {
    const [database, redis] = await Promise.all([
      latencyOf(async () => stores.check()),
      limiting.check === undefined ? { ok: true, latencyMs: null } : latencyOf(limiting.check),
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
      redis: { configured: limiting.check !== undefined, ...redis },
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
