import type { Deployment } from "../domain/deployment.ts";
import { type Issued, KeyAdministration, type NewKey } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import { type IssuedLink, OperatorAdministration } from "../domain/operators.ts";
import type { Clock } from "../domain/time.ts";
import type { Stores } from "./stores.ts";

/** What the first start of an empty store creates; nothing in others. The secrets can be shown only now. */
export type FirstStart = {
  firstKey: Issued | undefined;
  /** The link by which the first operator signs in to the console, unless it is off or there is an operator. */
  firstLink: IssuedLink | undefined;
};

type Parts = {
  stores: Pick<Stores, "keys" | "operators" | "withLock">;
  deployment: Deployment;
  hasConsole: boolean;
  clock: Clock;
};

/** Of several nodes that start at once, one creates the key and the link. */
export async function firstStart({ stores, deployment, hasConsole, clock }: Parts): Promise<FirstStart> {
  const { keys, operators, withLock } = stores;
  const author = { operator: { name: "first start" } };
  const request: NewKey = { name: "first key", plan: "business", scopes: [...scopes] };
  return withLock(async () => {
    if (!(await keys.isEmpty())) return { firstKey: undefined, firstLink: undefined };
    // The key comes last: otherwise its secret could be lost with a failed start.
    const firstLink = hasConsole ? await new OperatorAdministration(operators, author).createLink(clock()) : undefined;
    const firstKey = await new KeyAdministration(keys, deployment, author).create(request, clock());
    return { firstKey, firstLink };
  });
}
