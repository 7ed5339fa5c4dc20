import { Database } from "../src/adapters/postgres/database.ts";
import { PostgresKeys } from "../src/adapters/postgres/keys.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { PostgresPets } from "../src/adapters/postgres/pets.ts";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { type RedisServer, startRedis } from "../test/support/redis.ts";
import { createKey, pet } from "./catalogue.ts";
import type { Workplace } from "./workplace.ts";

/** PostgreSQL, which holds a catalogue and its key, and Redis: both as they come, fsync included. */
export type Engines = AsyncDisposable & { databaseUrl: string; redisUrl: string; secret: string };

const SIZE = 100_000;
const ROWS_A_STATEMENT = 5_000;

export async function startEngines(workplace: Workplace): Promise<Engines> {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startPostgresServer(workplace)).server;
  const redis = started.use(await startRedisServer(workplace)).server;
  const secret = await fill(postgres);
  const running = started.move();
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    secret,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Engine<T> = AsyncDisposable & { server: T };

export async function startRedisServer(workplace: Workplace): Promise<Engine<RedisServer>> {
  workplace.goOn();
  return engine(await workplace.onEngines(() => startRedis()), async () => {});
}

async function startPostgresServer(workplace: Workplace): Promise<Engine<Postgres>> {
  workplace.goOn();
  const server = await workplace.onEngines(() => startPostgres());
  // Unlike one that is killed, one that is stopped leaves no shared memory behind.
  return engine(server, () => server.stop());
}

/** Something that is ended when it is disposed of, or at the latest with this process. */
function engine<T extends Postgres | RedisServer>(server: T, stop: () => Promise<void>): Engine<T> {
  // The signals are sent before anything is awaited: nothing comes after that any more.
  const abandon = () => void server.kill();
  process.prependListener("exit", abandon);
  const end = async () => {
    await stop();
    await server.remove();
    process.off("exit", abandon);
  };
  return { server, [Symbol.asyncDispose]: end };
}

/** Writes the catalogue through the service's own store, and its key. Gives the key's secret. */
async function fill(postgres: Postgres): Promise<string> {
  const database = new Database(postgres.url, 1, () => {});
  try {
    await migrate(database, "production");
    const pets = new PostgresPets(database);
    for (let made = 0; made < SIZE; made += ROWS_A_STATEMENT) {
      await pets.insert(Array.from({ length: ROWS_A_STATEMENT }, (_, i) => pet(made + i + 1)));
    }
    return await createKey(new PostgresKeys(database));
  } finally {
    await database.close();
    // What autovacuum would do at some moment of the measurement.
    await postgres.query("VACUUM ANALYZE");
  }
}
