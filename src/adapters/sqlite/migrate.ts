import type { DatabaseSync } from "node:sqlite";
import type { Deployment } from "../../domain/deployment.ts";
import { StartupError } from "../../domain/errors.ts";
import { nameKey } from "../../domain/pets.ts";
import { DEPLOYMENT_RECORDED, insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import { IN_MEMORY, reasonOf, rollBack } from "./errors.ts";
import { HighWaterMarkFile } from "./ids.ts";
import { initial } from "./migrations/0001-initial.ts";
import { creations } from "./migrations/0002-creations.ts";
import { usage } from "./migrations/0003-usage.ts";
import { administration } from "./migrations/0004-administration.ts";
import { keyVersions } from "./migrations/0005-key-versions.ts";
import { deployment } from "./migrations/0006-deployment.ts";
import { keyListing } from "./migrations/0007-key-listing.ts";
import { auditIndexes } from "./migrations/0008-audit-indexes.ts";
import { petVersions } from "./migrations/0009-pet-versions.ts";
import { petFilters } from "./migrations/0010-pet-filters.ts";
import { categoriesAndOrders } from "./migrations/0011-categories-and-orders.ts";
import { coveringIndexes } from "./migrations/0012-covering-indexes.ts";
import { orderCounts } from "./migrations/0013-order-counts.ts";
import { keyOwners } from "./migrations/0014-key-owners.ts";
import { keySimulations } from "./migrations/0015-key-simulations.ts";
import { usageRankings } from "./migrations/0016-usage-rankings.ts";
import { keyTexts } from "./migrations/0017-key-texts.ts";
import { possiblyInactiveKeys } from "./migrations/0018-possibly-inactive-keys.ts";
import { keyTextParts } from "./migrations/0019-key-text-parts.ts";
import { possiblyInactiveByName } from "./migrations/0020-possibly-inactive-by-name.ts";
import { petBlocks } from "./migrations/0021-pet-blocks.ts";
import { totals } from "./migrations/0022-totals.ts";
import { keyUses } from "./migrations/0023-key-uses.ts";
import { limitPages } from "./migrations/0024-limit-pages.ts";
import { limitStates, limitWindows } from "./migrations/0025-limit-windows.ts";

/** A statement of `Sql`. A file is one schema, and one transaction at a time writes it: neither is named, no row is locked. */
export function sqlite(text: string): string {
  return text.replaceAll("petstore.", "").replace(/ FOR (UPDATE|SHARE)$/, "");
}

/**
 * The statement in a form that SQLite compiles once. It compiles a statement again in each run with other values if its plan
 * may depend on them (sqlite.org/c3ref/prepare.html), as it may on the limit of a page: that took a third of the time of
 * a page. A unary plus leaves a value as it is, and hides the parameter from the planner.
 */
export function compiledOnce(sql: string): string {
  return sql.replace(/'[^']*'|[:?]\w*/g, (token) => (token.startsWith("'") ? token : `+${token}`));
}

/** All migrations, in order. The statements of a released one never change. */
const migrations: string[] = [
  initial,
  creations,
  usage,
  administration,
  keyVersions,
  deployment,
  keyListing,
  auditIndexes,
  petVersions,
  petFilters,
  categoriesAndOrders,
  coveringIndexes,
  orderCounts,
  keyOwners,
  keySimulations,
  usageRankings,
  keyTexts,
  possiblyInactiveKeys,
  keyTextParts,
  possiblyInactiveByName,
  petBlocks,
  totals,
  keyUses,
  limitPages,
  limitWindows,
];

export const SCHEMA_VERSION = migrations.length;

/** The application_id in the header of a Petstore database: "pets" in ASCII. */
export const APPLICATION_ID = 0x70657473;

/**
 * A database file, or IN_MEMORY, and the deployment that it belongs to. With `create` a new one may take the place of one
 * that is missing.
 */
export type StoreFile = { path: string; deployment: Deployment; create?: boolean };

type Identity = { applicationId: number; version: number };

/** Reads the header of a file. Both values are 0 in a new, empty file. */
export function identityOf(database: Pick<DatabaseSync, "prepare">): Identity {
  return { applicationId: pragma(database, "application_id"), version: pragma(database, "user_version") };
}

function pragma(database: Pick<DatabaseSync, "prepare">, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Whether a file is neither a Petstore database nor empty. */
export function isForeign(database: DatabaseSync): boolean {
  // Read before the header: another process may be creating the schema, in one transaction with the header.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const { applicationId } = identityOf(database);
  return applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty);
}

/** @throws StartupError when the file belongs to another program, to a newer version of this one, or to the other deployment */
export function requirePetstoreFile(database: DatabaseSync, file: StoreFile): void {
  const { path } = file;
  const belongsToOthers = isForeign(database);
  const { version } = identityOf(database);
  if (version > SCHEMA_VERSION) {
    throw new StartupError(
      `${path} was written by a newer petstore (schema ${version}, this one supports ${SCHEMA_VERSION}). Run that version, or restore a backup made with this one.`,
    );
  }
  if (belongsToOthers) throw new StartupError(`${path} is a database, but not a petstore's.`);
  requireOwn(database, file);
}

/** @throws StartupError when the file belongs to the other deployment */
export function requireOwn(database: DatabaseSync, { path, deployment }: StoreFile): void {
  if (identityOf(database).version < DEPLOYMENT_RECORDED) return;
  requireDeployment(database.prepare(sqlite(SELECT_DEPLOYMENT)).get(), deployment, path);
}

/** Brings the schema up to date in one transaction, which also locks the file. Returns the number of migrations that ran. */
export function migrate(database: DatabaseSync, file: StoreFile): number {
  requirePetstoreFile(database, file);
  // An up-to-date file is only read, so that it opens on a full disk too.
  if (identityOf(database).version === SCHEMA_VERSION) return 0;
  try {
    // A migration may rebuild a table that foreign keys refer to (sqlite.org/lang_altertable.html, section 7).
    database.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
    requirePetstoreFile(database, file);
    const { version } = identityOf(database);
    // SQLite's own changes the case of ASCII letters only.
    database.function("lower_case", (text) => (text === null ? null : String(text).toLowerCase()));
    database.function("name_key", { deterministic: true }, (name) => nameKey(String(name)));
    database.function("limit_states", (keyIds, numbers, others) =>
      limitStates(String(keyIds), numbers as Uint8Array, others === null ? null : String(others)),
    );
    const isPlain = file.path === IN_MEMORY && !hasFts5(database);
    for (const migration of migrations.slice(version)) database.exec(isPlain ? withoutFts5(migration) : migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec(sqlite(insertDeployment(file.deployment)));
    requireOwn(database, file);
    database.exec("COMMIT");
    if (version === 0) startMark(file);
    return SCHEMA_VERSION - version;
  } catch (error) {
    rollBack(database);
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${file.path} cannot be brought up to date: ${reasonOf(error)}.`);
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
}

/** Node before 22.16 does not have it. */
function hasFts5(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
}

/** Makes plain tables of those that are indexes of texts, without their lists of parts: fast enough in memory. */
function withoutFts5(migration: string): string {
  return migration
    .replace(/CREATE VIRTUAL TABLE (\w+) USING fts5 \((\w+), (\w+)[^;]*;/g, "CREATE TABLE $1 ($2, $3);")
    .replace(/CREATE VIRTUAL TABLE \w+ USING fts5vocab [^;]*;/g, "");
}

/** A new database goes on with the ids of one that is gone, if its mark is left. */
function startMark({ path }: StoreFile): void {
  if (path === IN_MEMORY) return;
  using mark = new HighWaterMarkFile(path);
  mark.replace(0);
}
