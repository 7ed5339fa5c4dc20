import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { createDatabase } from "./shared-postgres.ts";
import { temporaryDirectory } from "./temporary.ts";

export type Engine = "sqlite" | "postgres";

/** The engine of services that ask for none: PETSTORE_TEST_STORE, SQLite when it is not set. */
const defaultEngine: Engine = process.env.PETSTORE_TEST_STORE === "postgres" ? "postgres" : "sqlite";

/** Where a service under test keeps its data. */
export interface Store {
  readonly engine: Engine;
  /** Its name in metrics and traces. */
  readonly system: "sqlite" | "postgresql";
  /** The value of DATABASE_URL. */
  readonly url: string;
  /** A directory that belongs to it: SQLite has its file there. */
  readonly directory: string;
  /** Connects to it as another process does. */
  connect(): Promise<Connection>;
  remove(): Promise<void>;
}

export interface Connection extends AsyncDisposable {
  /** Runs statements without a result. */
  run(sql: string): Promise<void>;
  /** Keeps others from adding pets until COMMIT or ROLLBACK. They can still read. */
  lockPets(): Promise<void>;
}

/** A new, empty store. */
export function newStore(engine: Engine = defaultEngine): Promise<Store> {
  return engine === "sqlite" ? Promise.resolve(sqliteIn(temporaryDirectory())) : newPostgresStore();
}

/** The database file of a service that runs in this directory. */
export function databasePathOf(directory: string): string {
  return join(directory, "petstore.db");
}

/** The store whose file is in this directory, or will be. */
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

/** A database of its own on the shared server. */
async function newPostgresStore(): Promise<Store> {
  const { url, drop } = await createDatabase();
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
