import { setTimeout as pause } from "node:timers/promises";
import type { Nodes } from "../support/nodes.ts";
import type { Postgres } from "../support/postgres.ts";

/** A failure, and its repair. */
type Outage = () => Promise<void>;

/** How long a killed server stays away, in ms. */
const AWAY = 300;

/** Kills each node and PostgreSQL (SIGKILL), one after the other, `count` times in total; at last PostgreSQL fails over. */
export function outages(nodes: Nodes, standby: Postgres, count: number): Outage[] {
  const kills = Array.from({ length: count }, (_, i): Outage => {
    const server = i % 2 === 0 ? nodes.node((i / 2) % nodes.nodes.length) : nodes.postgres;
    return async () => {
      await server.kill();
      await pause(AWAY);
      await server.start();
    };
  });
  return [...kills, () => failOver(nodes.postgres, standby)];
}

async function failOver(primary: Postgres, standby: Postgres): Promise<void> {
  const isFollowing = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await primary.query(isFollowing)).length === 0) await pause(20);
  await primary.kill();
  await pause(AWAY);
  await standby.query("SELECT pg_promote()");
  await standby.query("ALTER SYSTEM SET synchronous_standby_names = ''");
  await standby.query("SELECT pg_reload_conf()");
}
