import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Deployment } from "../../src/domain/deployment.ts";
import { createDatabase, createDatabaseWithSchema } from "./shared-postgres.ts";
import { temporaryDirectory } from "./temporary.ts";

export type Engine = "sqlite" | "postgres";

/** The default engine of services: PETSTORE_TEST_STORE, otherwise SQLite. */
const defaultEngine: Engine = process.env.PETSTORE_TEST_STORE === "postgres" ? "postgres" : "sqlite";

/** The store of a service under test. */
export interface Store {
  readonly engine: Engine;
  /** Its name in metrics and traces. */
  readonly system: "sqlite" | "postgresql";
  /** The value of DATABASE_URL. */
  readonly url: string;
  /** Its directory, which contains the SQLite file. */
  readonly directory: string;
  /** Connects to it as another process does. */
  connect(): Promise<Connection>;
  remove(): Promise<void>;
}

export interface Connection extends AsyncDisposable {
  /** Runs statements without a result. */
  run(sql: string): Promise<void>;
  /** Blocks other writers of pets until COMMIT or ROLLBACK. Readers are not blocked. */
  lockPets(): Promise<void>;
}

/** A new, empty store. */
export async function newStore(engine: Engine = defaultEngine, deployment: Deployment = "production"): Promise<Store> {
  if (engine === "sqlite") return sqliteIn(temporaryDirectory());
  return storeOnPostgres(await (deployment === "production" ? createDatabaseWithSchema() : createDatabase()));
}

/** The database file of a service that runs in this directory. */
export function databasePathOf(directory: string): string {
  return join(directory, "petstore.db");
}

/** The store with its file in this directory, existing or not. */
export function sqliteIn(directory: string): Store {
  const path = databasePathOf(directory);
  return {
    engine: "sqlite",
    system: "sqlite",
    url: `sqlite:${path}`,
    directory,
    async connect() {
      const database = new DatabaseSync(path, { timeout: 2_000 });
      const run = async (sql: string) => database.exec(sql);
      return { run, lockPets: () => run("BEGIN IMMEDIATE"), [Symbol.asyncDispose]: async () => database.close() };
    },
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The store in a database. */
export function storeOnPostgres({ url, drop }: { url: string; drop(): Promise<void> }): Store {
  const directory = temporaryDirectory();
  return {
    engine: "postgres",
    system: "postgresql",
    url,
    directory,
    async connect() {
      const client = new pg.Client(url);
      await client.connect();
      const run = async (sql: string) => void (await client.query(sql));
      await run("SET search_path TO petstore");
      const lockPets = () => run("BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE");
      return { run, lockPets, [Symbol.asyncDispose]: () => client.end() };
    },
    async remove() {
      rmSync(directory, { recursive: true, force: true });
      await drop();
    },
  };
}
