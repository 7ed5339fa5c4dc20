import { setTimeout as pause } from "node:timers/promises";
import { startNodes } from "../support/nodes.ts";
import { type Postgres, startStandby } from "../support/postgres.ts";
import type { Outage, System } from "./system.ts";

/** How long a killed server stays away, in ms. */
const AWAY = 300;

/**
 * Starts three nodes on PostgreSQL with a synchronous standby. Nodes and PostgreSQL are killed in turn (SIGKILL), so many
 * times in total; at last PostgreSQL fails over. `program`: the file that the nodes run instead of `src/main.ts`.
 */
export async function startThreeNodes(kills: number, program?: string): Promise<System> {
  let standby: Postgres | undefined;
  const nodes = await startNodes({
    count: 3,
    program,
    postgres: { synchronous_standby_names: "*" },
    urls: async (primary) => {
      standby = await startStandby(primary, { wal_retrieve_retry_interval: "100ms" });
      return { DATABASE_URL: primary.url.replace(/127.0.0.1:\d+/, `$&,127.0.0.1:${standby.port}`) };
    },
  });
  const { secret } = await nodes.createKey();
  return {
    name: "three nodes on PostgreSQL",
    urls: nodes.nodes.map(({ url }) => url),
    secret,
    outages: [
      ...Array.from({ length: kills }, (_, i) => kill(i % 2 === 0 ? nodes.node((i / 2) % 3) : nodes.postgres)),
      () => failOver(nodes.postgres, standby),
    ],
    async [Symbol.asyncDispose]() {
      await nodes.remove();
      await standby?.remove();
    },
  };
}

function kill(server: { kill(): Promise<void>; start(): Promise<void> }): Outage {
  return async () => {
    await server.kill();
    await pause(AWAY);
    await server.start();
  };
}

/** Kills the primary once its standby has everything, and promotes the standby. */
async function failOver(primary: Postgres, standby: Postgres | undefined): Promise<void> {
  const isFollowing = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await primary.query(isFollowing)).length === 0) await pause(20);
  await primary.kill();
  await pause(AWAY);
  await standby?.query("SELECT pg_promote()");
  await standby?.query("ALTER SYSTEM SET synchronous_standby_names = ''");
  await standby?.query("SELECT pg_reload_conf()");
}
