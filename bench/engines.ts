import { Database } from "../src/adapters/postgres/database.ts";
import { PostgresKeys } from "../src/adapters/postgres/keys.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { PostgresPets } from "../src/adapters/postgres/pets.ts";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { type RedisServer, startRedis } from "../test/support/redis.ts";
import { createKey, pet } from "./catalogue.ts";
import { shopStatements } from "./shop.ts";
import type { Workspace } from "./workspace.ts";

/** PostgreSQL with a catalogue and its key, and Redis, both with default settings, including fsync. */
export type Engines = AsyncDisposable & Filled & { redisUrl: string; postgres: Postgres };

/** A database with a catalogue, and the secret of its key. */
type Filled = { databaseUrl: string; secret: string };

const SIZE = 100_000;
const ROWS_PER_STATEMENT = 5_000;

export async function startEngines(workspace: Workspace): Promise<Engines> {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startPostgresServer(workspace)).server;
  const redis = started.use(await startRedisServer(workspace)).server;
  const secret = await fill(postgres);
  const running = started.move();
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    postgres,
    secret,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Engine<T> = AsyncDisposable & { server: T };

export async function startRedisServer(workspace: Workspace): Promise<Engine<RedisServer>> {
  workspace.throwIfInterrupted();
  return engine(await workspace.onEngines(() => startRedis()), async () => {});
}

async function startPostgresServer(workspace: Workspace): Promise<Engine<Postgres>> {
  workspace.throwIfInterrupted();
  const server = await workspace.onEngines(() => startPostgres({ settings: { fsync: "on" } }));
  // Stopped, not killed: a killed server leaves shared memory behind.
  return engine(server, () => server.stop());
}

/** A server that ends on disposal, or at the latest with this process. */
function engine<T extends Postgres | RedisServer>(server: T, stop: () => Promise<void>): Engine<T> {
  // Sends the signals before anything is awaited: the process is about to exit.
  const abandon = () => void server.kill();
  process.prependListener("exit", abandon);
  const end = async () => {
    await stop();
    await server.remove();
    process.off("exit", abandon);
  };
  return { server, [Symbol.asyncDispose]: end };
}

/** Writes the catalogue and its key through the service's own store. Returns the key's secret. */
async function fill(postgres: Postgres): Promise<string> {
  const database = new Database(postgres.url, 1, () => {});
  try {
    await migrate(database, "production");
    const pets = new PostgresPets(database);
    for (let made = 0; made < SIZE; made += ROWS_PER_STATEMENT) {
      await Promise.all(
        Array.from({ length: ROWS_PER_STATEMENT }, (_, i) => pets.create(pet(made + i + 1), { now: Date.now() })),
      );
    }
    return await createKey(new PostgresKeys(database));
  } finally {
    await database.close();
    // Otherwise autovacuum does it during the measurement.
    await postgres.query("VACUUM ANALYZE");
  }
}

/** Writes the shop to another database of the same server. */
export async function fillShop({ postgres, databaseUrl }: Engines): Promise<Filled> {
  await postgres.query("CREATE DATABASE shop");
  const url = new URL(databaseUrl);
  url.pathname = "/shop";
  const database = new Database(url.href, 2, () => {});
  const session = await database.session();
  try {
    await migrate(database, "production");
    const indexes = await session.query(
      `SELECT indexname, indexdef FROM pg_indexes
       WHERE tablename IN ('pets', 'orders') AND indexname NOT LIKE '%_pkey'`,
    );
    for (const { indexname } of indexes) await session.query(`DROP INDEX petstore.${indexname}`);
    for (const statement of shopStatements()) await session.query(statement);
    for (const { indexdef } of indexes) await session.query(String(indexdef));
    for (const sequence of ["pet", "order"]) {
      await session.query(`SELECT setval('petstore.${sequence}_ids', (SELECT max(id) FROM petstore.${sequence}s))`);
    }
    await session.query("VACUUM ANALYZE");
    return { databaseUrl: url.href, secret: await createKey(new PostgresKeys(database)) };
  } finally {
    await session.end();
    await database.close();
  }
}
