import type { Deployment } from "../../domain/deployment.ts";
import { StartupError } from "../../domain/errors.ts";
import { countByStatus, nameKey, type PetStatus } from "../../domain/pets.ts";
import { DEPLOYMENT_RECORDED, insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import { count } from "../sql/pets.ts";
import type { SchemaVersions } from "../sql/sql.ts";
import { begin, isLockTimeout, MIGRATION } from "./connections.ts";
import { type Database, numbered, type Session, type TextRow } from "./database.ts";
import { initial } from "./migrations/0001-initial.ts";
import { creations } from "./migrations/0002-creations.ts";
import { usage } from "./migrations/0003-usage.ts";
import { administration } from "./migrations/0004-administration.ts";
import { keyVersions } from "./migrations/0005-key-versions.ts";
import { deployment as deploymentStep } from "./migrations/0006-deployment.ts";
import { keyListing } from "./migrations/0007-key-listing.ts";
import { auditIndexes } from "./migrations/0008-audit-indexes.ts";
import { petVersions } from "./migrations/0009-pet-versions.ts";
import { petFilters } from "./migrations/0010-pet-filters.ts";
import { categoriesAndOrders } from "./migrations/0011-categories-and-orders.ts";
import { filterIndexes } from "./migrations/0012-filter-indexes.ts";
import { orderCounts } from "./migrations/0013-order-counts.ts";
import { keySearch } from "./migrations/0014-key-search.ts";
import { keyOwners } from "./migrations/0015-key-owners.ts";
import { keySimulations } from "./migrations/0016-key-simulations.ts";
import { usageRankings } from "./migrations/0017-usage-rankings.ts";
import { requestSegments } from "./migrations/0018-request-segments.ts";
import { keyTextParts } from "./migrations/0019-key-text-parts.ts";
import { keyTotal } from "./migrations/0020-key-total.ts";
import { fewerTextParts } from "./migrations/0021-fewer-text-parts.ts";
import { deprecatedTotals } from "./migrations/0022-deprecated-totals.ts";
import { fasterKeyLists } from "./migrations/0023-faster-key-lists.ts";

const BATCH_SIZE = 5_000;
const FILL = `UPDATE petstore.pets SET name_key = filled.name_key
  FROM unnest($1::bigint[], $2::text[]) AS filled (id, name_key) WHERE pets.id = filled.id AND pets.name_key IS NULL
  RETURNING pets.status`;

/**
 * Fills the column `name_key` of pets that were added without it: by an older version, or before the column existed. They
 * were not counted in the inventory either.
 */
async function fillNameKeys({ query }: Session): Promise<void> {
  for (;;) {
    const rows = await query(`SELECT id, name FROM petstore.pets WHERE name_key IS NULL LIMIT ${BATCH_SIZE}`);
    if (rows.length === 0) return;
    await query("BEGIN");
    const filled = await query(FILL, [rows.map(({ id }) => String(id)), rows.map(({ name }) => nameKey(String(name)))]);
    const { text, values } = count(countByStatus(filled.map(({ status }) => ({ status: status as PetStatus }))));
    const counted = numbered(text, values);
    await query(counted.text, counted.values);
    await query("COMMIT");
  }
}

/** All migrations, in order, each a list of statements. The statements of a released one never change. */
const migrations: string[][] = [
  initial,
  creations,
  usage,
  administration,
  keyVersions,
  deploymentStep,
  keyListing,
  auditIndexes,
  petVersions,
  petFilters,
  categoriesAndOrders,
  filterIndexes,
  orderCounts,
  keySearch,
  keyOwners,
  keySimulations,
  usageRankings,
  requestSegments,
  keyTextParts,
  keyTotal,
  fewerTextParts,
  deprecatedTotals,
  fasterKeyLists,
];

export const SCHEMA_VERSION = migrations.length;

/**
 * Brings the schema `petstore` up to date, under a lock that all nodes share. Returns the previous version.
 * @throws StartupError when a newer version wrote the schema, or the database belongs to the other deployment
 */
export function migrate(database: Database, deployment: Deployment): Promise<number> {
  return database.withLock(async () => {
    const session = await database.session();
    try {
      return await migrateLocked(session, deployment);
    } finally {
      await session.end();
    }
  });
}

/** Reads the version of the schema, without the right to change it. @throws service_unavailable */
export async function schemaOf(database: Database): Promise<SchemaVersions> {
  const [table] = await database.all("SELECT CAST(to_regclass('petstore.migrations') AS text) AS name");
  const version = table?.name ? await versionOf((text) => database.all(text)) : 0;
  return { version, current: SCHEMA_VERSION };
}

async function versionOf(query: (text: string) => Promise<TextRow[]>): Promise<number> {
  const [row] = await query("SELECT coalesce(max(version), 0) AS version FROM petstore.migrations");
  return Number(row?.version);
}

async function migrateLocked(session: Session, deployment: Deployment): Promise<number> {
  const { query } = session;
  await query("CREATE SCHEMA IF NOT EXISTS petstore");
  await query("CREATE TABLE IF NOT EXISTS petstore.migrations (version BIGINT PRIMARY KEY)");
  const version = await versionOf(query);
  if (version > SCHEMA_VERSION) {
    throw new StartupError(
      `This database was written by a newer petstore (schema ${version}, this one supports ${SCHEMA_VERSION}). Run that version.`,
    );
  }
  const requireOwn = async () => requireDeployment((await query(SELECT_DEPLOYMENT))[0], deployment, "This database");
  // Before anything is changed, where it is known.
  if (version >= DEPLOYMENT_RECORDED) await requireOwn();
  for (const [i, statements] of migrations.entries()) {
    if (i < version) continue;
    // A statement may run twice, because not every engine rolls back schema changes.
    for (const statement of statements) await change(query, statement);
    await query(`INSERT INTO petstore.migrations (version) VALUES (${i + 1})`);
  }
  await fillNameKeys(session);
  await query(insertDeployment(deployment));
  await requireOwn();
  return version;
}

/** Runs a statement with its own time-outs. While it waits for a lock, so does everything that comes after it. */
async function change(query: Session["query"], statement: string): Promise<void> {
  try {
    await query(`${begin(MIGRATION)}; ${statement}; COMMIT`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new StartupError(
      `Another session has held a lock on a table for ${MIGRATION.lock / 1000} s, so its schema cannot be changed. Nothing is lost. End that session (see pg_stat_activity), or wait for it, and start again.`,
    );
  }
}
