import { Command } from "commander";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { tableOf } from "../table.ts";
import { readableOf } from "../time.ts";
import { JSON_OPTION } from "./options.ts";
import { statusText, summaryOf } from "./summary.ts";

const HEAD = ["ID", "NAME", "PLAN", "LAST FOUR", "STATUS", "LAST USED"];

export function listCommand(): Command {
  return new Command("list")
    .description("List all keys, oldest first.")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys list --json | jq '.[] | select(.plan == \"free\") | .id'")
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ keys, limitStates }) => {
    const now = Date.now();
    const withStanding = async (one: KeyWithSecrets) => ({
      ...one,
      standing: limitStatusOf(await limitStates.of(one.key.id), one.key, now),
    });
    const found = await Promise.all((await keys.list()).map(withStanding));
    const rows = found.map((one) => [
      one.key.id,
      one.key.name,
      one.key.plan,
      one.secrets[0]?.lastFour ?? "",
      statusText(one, one.standing),
      one.key.lastUsedAt === undefined ? "never" : readableOf(one.key.lastUsedAt),
    ]);
    const summaries = found.map((one) => summaryOf(one, one.standing));
    print(json, summaries, () =>
      rows.length === 0
        ? 'There are no keys. `petstore keys create --name "My app" --plan free` makes one.'
        : tableOf(HEAD, rows, process.stdout.isTTY),
    );
  });
}
