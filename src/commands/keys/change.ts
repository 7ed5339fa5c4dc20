import type { KeyAdministration } from "../../domain/keys/administration.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { currentSummary } from "./summary.ts";

type Options = { json?: boolean | undefined };

/** Changes a key, then says so in a sentence, or shows the key as it is now in JSON. */
export async function changeKey(
  id: string,
  { json }: Options,
  change: (administration: KeyAdministration, now: number) => Promise<string>,
): Promise<void> {
  await withExistingStores(async (stores) => {
    const sentence = await change(stores.keyAdministration, Date.now());
    print(json, await currentSummary(stores, id), () => sentence);
  });
}
