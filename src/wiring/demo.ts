import type { Author } from "../domain/audit.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { type Issued, KeyAdministration } from "../domain/keys/administration.ts";
import { scopes } from "../domain/keys/key.ts";
import { fixedSecret } from "../domain/keys/secret.ts";
import { type Limits, type Plan, plans } from "../domain/limits/limits.ts";
import { OperatorAdministration } from "../domain/operators.ts";
import { resetShop, sampleShop } from "../domain/shop.ts";
import type { Clock } from "../domain/time.ts";
import type { Stores } from "./stores.ts";

const AUTHOR: Author = { operator: { name: "petstore demo" } };
/** Enterprise keys have custom limits. */
const ENTERPRISE: Limits = { perMinute: 10_000, perDay: 1_000_000 };

/** How many pets there are, and the seed of the sample shop. */
export type DemoOptions = { pets: number; seed: number };

/** What a demo consists of. The secrets of its keys are the same in each demo. */
export type Demo = { keys: Issued[]; operatorToken: string; pets: number; categories: number; orders: number };

/** Fills an empty store of staging with a sample shop, a key of each plan, and an operator. */
export async function fillDemo(
  { shop, keys, operators }: Pick<Stores, "shop" | "keys" | "operators">,
  options: DemoOptions,
  clock: Clock,
): Promise<Demo> {
  const now = clock();
  const { firstPetId, ...counts } = await resetShop(shop, "staging", sampleShop({ ...options, now }), {
    by: AUTHOR,
    now,
  });
  const administration = new KeyAdministration(keys, "staging", AUTHOR);
  const create = (plan: Plan) => {
    const limits = plan === "enterprise" ? ENTERPRISE : undefined;
    const request = { name: `demo ${plan}`, plan, limits, scopes: [...scopes] };
    return administration.create(request, now, fixedSecret("staging", `demo${plan}`));
  };
  const issued = await Promise.all(plans.map(create));
  const { token } = await new OperatorAdministration(operators, AUTHOR).create("demo", "admin", now);
  return { keys: issued, operatorToken: token, ...counts };
}

/** Items that are read at a time: few enough that reading and formatting them takes about a millisecond. */
const PAGE = 100;

/** Yields all items of a list after the id `start`, page by page, in the order of the list. */
export async function* pagesOf<Item extends { id: number | bigint }>(
  list: (page: { limit: number; after: bigint | undefined }) => Awaitable<Item[]>,
  start?: bigint,
): AsyncGenerator<Item[]> {
  let after = start;
  for (;;) {
    const page = await list({ limit: PAGE, after });
    const last = page.at(-1);
    if (last !== undefined) yield page;
    if (last === undefined || page.length < PAGE) return;
    after = BigInt(last.id);
  }
}
