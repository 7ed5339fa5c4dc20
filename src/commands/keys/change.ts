import type { KeyAdministration } from "../../domain/keys/administration.ts";
import { keyJson } from "../../domain/keys/json.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { keyNotFound } from "./key-not-found.ts";
import { withLimitStatus } from "./limit-status.ts";

type Options = { json?: boolean | undefined };

/** Changes a key, and prints the sentence that `change` returns, or the changed key as JSON. */
export async function changeKey(
  id: string,
  { json }: Options,
  change: (administration: KeyAdministration, now: number) => Promise<string>,
): Promise<void> {
  await withExistingStores(async (stores) => {
    const sentence = await change(stores.keyAdministration, Date.now());
    const found = await stores.keys.get(id);
    if (found === undefined) throw keyNotFound(id);
    const now = Date.now();
    // The sentence says nothing of limits: a key can be revoked while Redis is away.
    const value = json && keyJson(await withLimitStatus(stores, found, now), now);
    print(json, value, () => sentence);
  });
}
