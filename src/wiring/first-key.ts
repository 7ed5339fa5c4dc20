import type { Clock } from "../domain/clock.ts";
import type { Deployment } from "../domain/deployment.ts";
import { type Issued, KeyAdministration, type NewKey } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import type { Stores } from "./stores.ts";

/** Creates the first key of an empty store. Returns undefined when the store has keys. */
export async function createFirstKey(
  { keys, withLock }: Pick<Stores, "keys" | "withLock">,
  deployment: Deployment,
  clock: Clock = Date.now,
): Promise<Issued | undefined> {
  const administration = new KeyAdministration(keys, deployment, { operator: { name: "first start" } });
  const request: NewKey = { name: "first key", plan: "business", scopes: [...scopes] };
  return withLock(async () => ((await keys.isEmpty()) ? administration.create(request, clock()) : undefined));
}
