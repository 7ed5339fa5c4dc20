import { setTimeout as pause } from "node:timers/promises";
import type { Deployment } from "../../domain/deployment.ts";
import { codeOf, StartupError } from "../../domain/errors.ts";
import { insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import {
  currentVersion,
  OLDEST_VERSION,
  pending,
  requireReleased,
  requireSupported,
  type SchemaVersions,
} from "../sql/sql.ts";
import { begin, isLockTimeout, MIGRATION } from "./connections.ts";
import { type Database, type DatabaseSession, READ_ONLY, type TextRow } from "./database.ts";
import { migrations as all } from "./migrations.ts";

const THIS_DATABASE = "This database";

/**
 * Brings the schema `petstore` up to date, under a lock that all nodes share. Returns the versions before and after. `oldest` is
 * the OLDEST_VERSION of the migrations.
 * @throws StartupError when a version that is too new or a checkout from before the first release wrote the schema, or the
 * database belongs to the other deployment
 */
export async function migrate(
  database: Database,
  deployment: Deployment,
  migrations: readonly string[][] = all,
  oldest = OLDEST_VERSION,
): Promise<{ from: number; to: number }> {
  const [setting] = await database.all(READ_ONLY);
  if (setting?.setting === "on") return requireCurrent(database, deployment, migrations);
  return database.withLock(async () => {
    const session = await database.session();
    try {
      return await migrateLocked(session, deployment, migrations, oldest);
    } finally {
      await session.end();
    }
  });
}

/** A service that can only read starts if it has nothing to change. */
async function requireCurrent(database: Database, deployment: Deployment, migrations: readonly string[][]) {
  const { version, current } = await schemaOf(database, migrations);
  if (version < current) {
    throw new StartupError(
      `${THIS_DATABASE} takes no writes (default_transaction_read_only), so its schema ${version} cannot become ${current}.`,
    );
  }
  requireDeployment((await database.all(SELECT_DEPLOYMENT))[0], deployment, THIS_DATABASE);
  return { from: version, to: version };
}

/**
 * Reads the version of the schema, without the right to change it.
 * @throws StartupError when a checkout from before the first release wrote it, or a version that is too new; service_unavailable
 */
export async function schemaOf(database: Database, migrations: readonly string[][] = all): Promise<SchemaVersions> {
  const [table] = await database.all("SELECT CAST(to_regclass('petstore.migrations') AS text) AS name");
  const current = currentVersion(migrations);
  return { version: table?.name ? await versionOf((text) => database.all(text), current) : 0, current };
}

/** The version of the schema, which a program that uses the version `current` may use. Before the second, there was no `oldest`. */
async function versionOf(query: (text: string) => Promise<TextRow[]>, current: number): Promise<number> {
  const [row] = await query(
    `SELECT version, to_jsonb(migrations) ->> 'oldest' AS oldest FROM petstore.migrations ORDER BY version DESC LIMIT 1`,
  );
  const version = Number(row?.version ?? 0);
  requireReleased(version, THIS_DATABASE);
  requireSupported({ version, oldest: Number(row?.oldest ?? 0) }, current, THIS_DATABASE);
  return version;
}

async function migrateLocked(
  { query }: DatabaseSession,
  deployment: Deployment,
  migrations: readonly string[][],
  oldest: number,
): Promise<{ from: number; to: number }> {
  await query("CREATE SCHEMA IF NOT EXISTS petstore");
  await query("CREATE TABLE IF NOT EXISTS petstore.migrations (version BIGINT PRIMARY KEY)");
  const to = currentVersion(migrations);
  const from = await versionOf(query, to);
  const requireOwn = async () => requireDeployment((await query(SELECT_DEPLOYMENT))[0], deployment, THIS_DATABASE);
  // Before anything is changed, where it is known.
  if (from > 0) await requireOwn();
  if (from < to) await query("ALTER TABLE petstore.migrations ADD COLUMN IF NOT EXISTS oldest BIGINT");
  for (const [version, statements] of pending(migrations, from)) {
    // A statement may run twice: each is a transaction, or several, or none.
    for (const statement of statements) await (from === 0 ? change(query, statement) : changeInUse(query, statement));
    await query(`INSERT INTO petstore.migrations (version, oldest) VALUES (${version}, ${oldest})`);
  }
  await query(insertDeployment(deployment));
  await requireOwn();
  await skipEventIds(query);
  return { from, to: Math.max(from, to) };
}

/** What a copy of a dump, a recovery to a point in time and a failover change: the server's identifier, or its timeline. */
const SERVER = `SELECT system_identifier || '/' || timeline_id AS server FROM pg_control_system(), pg_control_checkpoint()
  WHERE to_regclass('petstore.event_gaps') IS NOT NULL`;

/** The code of an error: the role may not do that. */
const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Has the events of a database that may lack some, which clients have read, go on above all ids that were ever given: the time in µs.
 * Positions in the gap are refused from then on.
 */
async function skipEventIds(query: DatabaseSession["query"]): Promise<void> {
  const [{ server } = {}] = await query(SERVER).catch((error) => {
    // A provider may not let the role ask.
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return [];
    throw error;
  });
  if (server == null) return;
  const [known] = await query("SELECT server FROM petstore.event_gaps ORDER BY before_id DESC LIMIT 1");
  if (known === undefined) await query("INSERT INTO petstore.event_gaps VALUES (0, 0, $1)", [server]);
  else if (known.server !== server) await query(SKIP, [server]);
}

const SKIP = `WITH gap AS (
    INSERT INTO petstore.event_gaps
      SELECT coalesce((SELECT max(id) FROM petstore.events), 1),
        greatest(last_value + 1, CAST(extract(epoch FROM clock_timestamp()) * 1e6 AS bigint)), $1
      FROM petstore.event_ids
      RETURNING before_id
  )
  SELECT setval('petstore.event_ids', before_id) FROM gap`;

/**
 * The same for a statement while nodes use the tables. An index is made beside their writes, outside of a transaction. One that was
 * interrupted is there, is not used, and is made again.
 */
async function changeInUse(query: DatabaseSession["query"], statement: string): Promise<void> {
  const [, create, name, on] = /^(CREATE (?:UNIQUE )?INDEX) (?:IF NOT EXISTS )?(\w+)\s+(ON .*)$/s.exec(statement) ?? [];
  if (name === undefined) return change(query, statement);
  const [invalid] = await query("SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid", [
    `petstore.${name}`,
  ]);
  if (invalid !== undefined) await query(`DROP INDEX CONCURRENTLY petstore.${name}`);
  await query(`${create} CONCURRENTLY IF NOT EXISTS ${name} ${on}`);
}

/** How often a statement asks for the lock of its table, and how long others have in between, in ms. */
const LOCK_TRIES = 6;
const LOCK_PAUSE = 100;

/** Runs a statement with its own time-outs. While it waits for a lock, so does everything that comes after it. */
async function change(query: DatabaseSession["query"], statement: string): Promise<void> {
  // A block commits by itself.
  if (statement.startsWith("DO ")) return void (await query(statement));
  for (let tries = 1; ; tries++) {
    try {
      await query(`${begin(MIGRATION)}; ${statement}; COMMIT`);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await query("ROLLBACK");
      if (tries < LOCK_TRIES) await pause(LOCK_PAUSE);
      else throw locked();
    }
  }
}

function locked(): StartupError {
  const seconds = (LOCK_TRIES * MIGRATION.lock) / 1000;
  return new StartupError(
    `Another session has held a lock on a table for ${seconds} s, so its schema cannot be changed. Nothing is lost. End that session (see pg_stat_activity), or wait for it, and start again.`,
  );
}
