import { existsSync } from "node:fs";
import type { Command } from "commander";
import { requirePlainFile } from "../adapters/sqlite/files.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import { requireNotLost } from "../adapters/sqlite/open.ts";
import type { Author } from "../domain/audit.ts";
import { StartupError } from "../domain/errors.ts";
import { KeyAdministration } from "../domain/keys/administration.ts";
import { OperatorAdministration } from "../domain/operators.ts";
import { type Config, type DatabaseConfig, databaseNameOf, readConfig } from "../wiring/config.ts";
import { type LimitStateReader, limitStatesIn } from "../wiring/limits.ts";
import { openStores, type Stores, schemaOf } from "../wiring/stores.ts";
import { type CommandParts, defineCommand } from "./options.ts";
import { asRun, commandLineAuthor } from "./program.ts";

export type CommandStores = Stores & {
  config: Config;
  limitStates: LimitStateReader;
  keyAdministration: KeyAdministration;
  operatorAdministration: OperatorAdministration;
  author: Author;
};

export const CREATE_OPTION = ["--create", "create the database if it is missing"] as const;

/** The configuration that the environment and `--create` give. @throws ConfigError */
export function configWith(create = false): Config {
  const config = readConfig(process.env);
  const { database } = config;
  return database.engine === "sqlite" ? { ...config, database: { ...database, create } } : config;
}

/**
 * Runs `work` with the stores that the environment names, and closes them. Only with `create` is a database that is missing
 * created: a wrong DATABASE_URL does not make an empty one. @throws ConfigError, StartupError
 */
export async function withStores(
  { create = false }: { create?: boolean | undefined },
  work: (stores: CommandStores) => Promise<void>,
): Promise<void> {
  const config = configWith(create);
  await requireSchema(config, create);
  await using stack = new AsyncDisposableStack();
  const stores = await openStores(config, () => {});
  stack.defer(() => stores.close());
  if (stores.lost !== undefined) warnOfLoss(stores.lost);
  const limitStates = limitStatesIn(config.redisUrl, stores.counters, warnOfFailingRedis);
  stack.defer(() => limitStates.close());
  const author = commandLineAuthor();
  const administrations = {
    keyAdministration: new KeyAdministration(stores.keys, config.deployment, author),
    operatorAdministration: new OperatorAdministration(stores.operators, author),
  };
  await work({ ...stores, config, limitStates, author, ...administrations });
}

function warnOfLoss({ from, to }: IdRange): void {
  const text = `petstore: acknowledged pets are lost, with ids from ${from} to ${to}. Restore a backup, or accept the loss with \`petstore database check --accept-loss\`.\n`;
  process.stderr.write(asRun(text));
}

function warnOfFailingRedis({ message }: Error): void {
  const text = `petstore: the Redis server in REDIS_URL fails, so counted requests and bans are unknown. Reason: ${message}\n`;
  process.stderr.write(text);
}

/**
 * Only `serve` and `database migrate` change the schema of a database: a service of an older version may be using it.
 * @throws StartupError
 */
async function requireSchema(config: Config, create: boolean): Promise<void> {
  const { database } = config;
  const { version, current } = await schemaOf(config);
  if (version === 0 && !create) throw missing(database);
  if (version === 0 || version >= current) return;
  throw new StartupError(
    `${databaseNameOf(database)} has schema ${version} of an older petstore, and this one needs schema ${current}. If the older service is running, stop it. Then run \`petstore database migrate\`, or start the service of this version.`,
  );
}

/** Runs `work` with the stores of an existing database. @throws ConfigError, StartupError */
export function withExistingStores(work: (stores: CommandStores) => Promise<void>): Promise<void> {
  return withStores({}, work);
}

/** The same as `defineCommand` for an action that needs the stores of an existing database. */
export function defineStoreCommand<Args extends unknown[]>(
  parts: CommandParts & { action: (stores: CommandStores, ...args: Args) => Promise<void> },
): () => Command {
  const { action } = parts;
  return defineCommand({
    ...parts,
    action: (...args: Args) => withExistingStores((stores) => action(stores, ...args)),
  });
}

/** @throws StartupError when the SQLite file does not exist, or is none. Databases of a server are not checked */
export function requireDatabase(database: DatabaseConfig): void {
  if (database.engine !== "sqlite") return;
  if (!existsSync(database.path)) throw missing(database);
  requirePlainFile(database.path);
}

/** The error for a database that does not exist, or has no schema yet. @throws StartupError when it is lost */
function missing(database: DatabaseConfig): StartupError {
  if (database.engine === "sqlite") requireNotLost(database);
  const name = database.engine === "sqlite" ? database.path : databaseNameOf(database);
  return new StartupError(
    `There is no database ${name}. Create it with \`petstore database migrate\`, or set DATABASE_URL.`,
  );
}

/** Returns the path of a SQLite database. @throws StartupError for a server, with what to do instead */
export function requireFile(database: DatabaseConfig, instead: string): string {
  if (database.engine === "sqlite") return database.path;
  throw new StartupError(`${databaseNameOf(database)} is a server, not a file. ${instead}`);
}
