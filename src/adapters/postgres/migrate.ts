import type { Deployment } from "../../domain/deployment.ts";
import { StartupError } from "../../domain/errors.ts";
import { insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import { currentVersion, pending, requireReleased, type SchemaVersions } from "../sql/sql.ts";
import { begin, isLockTimeout, MIGRATION } from "./connections.ts";
import type { Database, DatabaseSession, TextRow } from "./database.ts";
import { migrations as all } from "./migrations.ts";

const THIS_DATABASE = "This database";

/**
 * Brings the schema `petstore` up to date, under a lock that all nodes share. Returns the versions before and after.
 * @throws StartupError when a newer version or a checkout from before the first release wrote the schema, or the database
 * belongs to the other deployment
 */
export async function migrate(
  database: Database,
  deployment: Deployment,
  migrations: readonly string[][] = all,
): Promise<{ from: number; to: number }> {
  if (await database.isReadOnly()) return requireCurrent(database, deployment, migrations);
  return database.withLock(async () => {
    const session = await database.session();
    try {
      return await migrateLocked(session, deployment, migrations);
    } finally {
      await session.end();
    }
  });
}

/** A service that can only read starts if it has nothing to change. */
async function requireCurrent(database: Database, deployment: Deployment, migrations: readonly string[][]) {
  const { version, current } = await schemaOf(database, migrations);
  if (version !== current) {
    throw new StartupError(
      `${THIS_DATABASE} takes no writes (default_transaction_read_only), so its schema ${version} cannot become ${current}.`,
    );
  }
  requireDeployment((await database.all(SELECT_DEPLOYMENT))[0], deployment, THIS_DATABASE);
  return { from: version, to: version };
}

/**
 * Reads the version of the schema, without the right to change it.
 * @throws StartupError when a checkout from before the first release wrote it, and service_unavailable
 */
export async function schemaOf(database: Database, migrations: readonly string[][] = all): Promise<SchemaVersions> {
  const [table] = await database.all("SELECT CAST(to_regclass('petstore.migrations') AS text) AS name");
  const version = table?.name ? await versionOf((text) => database.all(text)) : 0;
  requireReleased(version, THIS_DATABASE);
  return { version, current: currentVersion(migrations) };
}

async function versionOf(query: (text: string) => Promise<TextRow[]>): Promise<number> {
  const [row] = await query("SELECT coalesce(max(version), 0) AS version FROM petstore.migrations");
  return Number(row?.version);
}

async function migrateLocked(
  { query }: DatabaseSession,
  deployment: Deployment,
  migrations: readonly string[][],
): Promise<{ from: number; to: number }> {
  await query("CREATE SCHEMA IF NOT EXISTS petstore");
  await query("CREATE TABLE IF NOT EXISTS petstore.migrations (version BIGINT PRIMARY KEY)");
  const [from, to] = [await versionOf(query), currentVersion(migrations)];
  requireReleased(from, THIS_DATABASE);
  if (from > to) {
    throw new StartupError(
      `${THIS_DATABASE} was written by a newer petstore (schema ${from}, this one supports ${to}). Run that version.`,
    );
  }
  const requireOwn = async () => requireDeployment((await query(SELECT_DEPLOYMENT))[0], deployment, THIS_DATABASE);
  // Before anything is changed, where it is known.
  if (from > 0) await requireOwn();
  for (const [version, statements] of pending(migrations, from)) {
    // A statement may run twice, because not every engine rolls back schema changes.
    for (const statement of statements) await change(query, statement);
    await query(`INSERT INTO petstore.migrations (version) VALUES (${version})`);
  }
  await query(insertDeployment(deployment));
  await requireOwn();
  return { from, to };
}

/** Runs a statement with its own time-outs. While it waits for a lock, so does everything that comes after it. */
async function change(query: DatabaseSession["query"], statement: string): Promise<void> {
  try {
    await query(`${begin(MIGRATION)}; ${statement}; COMMIT`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new StartupError(
      `Another session has held a lock on a table for ${MIGRATION.lock / 1000} s, so its schema cannot be changed. Nothing is lost. End that session (see pg_stat_activity), or wait for it, and start again.`,
    );
  }
}
