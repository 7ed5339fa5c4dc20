import { type Deployment, deployments } from "../../domain/deployment.ts";
import { StartupError } from "../../domain/errors.ts";
import type { Row } from "./sql.ts";

/** Reads the deployment that a store belongs to: no row means none yet. */
export const SELECT_DEPLOYMENT = "SELECT name FROM petstore.deployment";

/** Has the store belong to a deployment, unless it belongs to one already. */
export function insertDeployment(deployment: Deployment): string {
  return `INSERT INTO petstore.deployment (name) SELECT '${deployment}' WHERE NOT EXISTS (${SELECT_DEPLOYMENT})`;
}

/**
 * @throws StartupError when the store belongs to the other deployment, and an Error when it is damaged. `store` names it in
 * the message
 */
export function requireDeployment(row: Row | undefined, deployment: Deployment, store: string): void {
  if (row === undefined || row.name === deployment) return;
  if (!deployments.some((known) => known === row.name)) throw new Error("its deployment cannot be read");
  throw new StartupError(
    `${store} belongs to ${row.name}, and this is ${deployment}. Set DATABASE_URL to a database of ${deployment}, or PETSTORE_DEPLOYMENT to ${row.name}.`,
  );
}
