import { type Postgres, queryAt, startPostgres } from "./postgres.ts";

/** A server for several test processes. Without it each process starts its own when it needs one. */
const given = process.env.PETSTORE_TEST_POSTGRES;
let own: Promise<Postgres> | undefined;
let databases = 0;

/** A new, empty database on the server that tests share. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await sharedPostgresUrl();
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await queryAt(server, `CREATE DATABASE ${name}`);
  return {
    url: server.replace(/postgres$/, name),
    drop: async () => void (await queryAt(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** Removes the server if this process started it. */
export async function removeSharedPostgres(): Promise<void> {
  const server = own;
  own = undefined;
  await (await server)?.remove();
}

/** The URL of the shared server. The first call starts it. */
export async function sharedPostgresUrl(): Promise<string> {
  if (given !== undefined) return given;
  own ??= startPostgres();
  return (await own).url;
}
