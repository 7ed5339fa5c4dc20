import { Database } from "../../src/adapters/postgres/database.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { migrations } from "../../src/adapters/postgres/migrations.ts";
import { type Postgres, queryAt, startPostgres } from "./postgres.ts";

/** A server for several test processes. Without it each process starts its own when it needs one. */
const given = process.env.PETSTORE_TEST_POSTGRES;
let own: Promise<Postgres> | undefined;
let databases = 0;

/** The database of production that others are copies of: to copy a schema takes a fraction of the time of making it. */
const TEMPLATE = `schema_${Bun.hash(JSON.stringify(migrations))}`;

type Created = { url: string; drop(): Promise<void> };

/** A new, empty database on the server that tests share. */
export function createDatabase(): Promise<Created> {
  return create("template1");
}

/** A new one that has the schema, unless that of the sources is not the one with which the server was started. */
export async function createDatabaseWithSchema(): Promise<Created> {
  const server = await sharedPostgresUrl();
  const [template] = await queryAt(server, "SELECT 1 FROM pg_database WHERE datname = $1", [TEMPLATE]);
  return create(template === undefined ? "template1" : TEMPLATE);
}

async function create(template: string): Promise<Created> {
  const server = await sharedPostgresUrl();
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await queryAt(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return {
    url: inServer(server, name),
    drop: async () => void (await queryAt(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

const inServer = (server: string, database: string) => server.replace(/postgres$/, database);

/** Removes the server if this process started it. */
export async function removeSharedPostgres(): Promise<void> {
  const server = own;
  own = undefined;
  await (await server)?.remove();
}

/** The URL of the shared server. The first call starts it. */
export async function sharedPostgresUrl(): Promise<string> {
  if (given !== undefined) return given;
  own ??= startWithTemplate();
  return (await own).url;
}

async function startWithTemplate(): Promise<Postgres> {
  const server = await startPostgres();
  await queryAt(server.url, `CREATE DATABASE ${TEMPLATE} STRATEGY file_copy`);
  const database = new Database(inServer(server.url, TEMPLATE), 1, () => {});
  await migrate(database, "production");
  await database.close();
  return server;
}
