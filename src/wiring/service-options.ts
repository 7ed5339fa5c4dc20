import type { Clock } from "../domain/time.ts";
import type { RunCommand } from "./backups/backups.ts";
import type { CheckDatabase, ServerClocks } from "./health.ts";
import type { Stores } from "./stores.ts";

/** How a service starts. */
export type ServiceOptions = {
  clock?: Clock;
  /** Fills the stores before the first request. If it creates a key, there is no first key. */
  fill?: ((stores: Stores) => Promise<void>) | undefined;
  /** Checks the database after an unclean stop; without it there is no check. */
  checkDatabase?: CheckDatabase;
  /** Runs commands that make and verify backups; without it there are none. */
  runCommand?: RunCommand;
  /** What to do when it cannot listen on its port. */
  portRemedy?: string;
  /** The clocks to compare it with, by default those of PostgreSQL and Redis. */
  serverClocks?: ServerClocks;
  /** Set in a worker: it shares its address with others, and its parent has everything that there is once. */
  worker?: WorkerOptions | undefined;
};

/** `limiterSocket`: the path of the socket where its parent counts limits, unless Redis does. */
export type WorkerOptions = { limiterSocket?: string | undefined };
