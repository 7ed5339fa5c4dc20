import { existsSync } from "node:fs";
import { KeyAdministration } from "../domain/keys/administration.ts";
import { OperatorAdministration } from "../domain/operators/administration.ts";
import { StartupError } from "../domain/startup-error.ts";
import { type Config, type DatabaseConfig, nameOf, readConfig } from "../wiring/config.ts";
import type { LimitStates } from "../wiring/limiting.ts";
import { openLimitStates } from "../wiring/open-limiting.ts";
import { openStores } from "../wiring/open-stores.ts";
import { PetAdministration } from "../wiring/pet-administration.ts";
import type { Stores as OpenStores } from "../wiring/stores.ts";
import { commandLine } from "./author.ts";

/** What the commands work on. */
export type Stores = OpenStores & {
  config: Config;
  usages: LimitStates;
  keyAdministration: KeyAdministration;
  operatorAdministration: OperatorAdministration;
  catalogueAdministration: PetAdministration;
};

/** Does `work` with the stores that the environment names, creating what is missing, and closes them. @throws ConfigError, Unusable */
export async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, () => {});
  const usages = await openLimitStates(config, stores.counters);
  try {
    const author = commandLine();
    const keyAdministration = new KeyAdministration(stores.keys, config.deployment, author);
    const operatorAdministration = new OperatorAdministration(stores.operators, author);
    const catalogueAdministration = new PetAdministration(stores, author, Date.now);
    const administrations = { keyAdministration, operatorAdministration, catalogueAdministration };
    await work({ ...stores, config, usages, ...administrations });
  } finally {
    usages.close();
    await stores.close();
  }
}

/** The same where there is nothing to do without a database: a mistake in DATABASE_URL is not to make an empty one. */
export async function withExistingStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  requireDatabase(readConfig(process.env).database);
  await withStores(work);
}

/** @throws Unusable when there is no database yet. Of a server it is not asked: its databases are made by hand */
export function requireDatabase(database: DatabaseConfig): void {
  if (database.engine !== "sqlite" || existsSync(database.path)) return;
  throw new StartupError(
    `There is no database ${database.path}. \`petstore database migrate\` creates one; DATABASE_URL names another.`,
  );
}

/** The path of the database, for what is only done to files. @throws Unusable, with what to do instead */
export function requireFile(database: DatabaseConfig, instead: string): string {
  if (database.engine === "sqlite") return database.path;
  throw new StartupError(`${nameOf(database)} is a server, not a file. ${instead}`);
}
