import { Command } from "commander";
import { keyJson } from "../../domain/keys/json.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { tableOf } from "../table.ts";
import { readableOf } from "../time.ts";
import { stateText, withLimitStatus } from "./limit-status.ts";
import { JSON_OPTION } from "./options.ts";

const HEAD = ["ID", "NAME", "PLAN", "LAST FOUR", "STATUS", "LAST USED"];

export function listCommand(): Command {
  return new Command("list")
    .description("List all keys, oldest first.")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys list --json | jq '.[] | select(.plan == \"free\") | .id'")
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async (stores) => {
    const now = Date.now();
    const all = await stores.keys.list();
    const found = await Promise.all(all.map((one) => withLimitStatus(stores, one, now)));
    const rows = found.map((one) => [
      one.key.id,
      one.key.name,
      one.key.plan,
      one.secrets[0]?.lastFour ?? "",
      stateText(one, one.limitStatus),
      one.key.lastUsedAt === undefined ? "never" : readableOf(one.key.lastUsedAt),
    ]);
    const values = found.map((one) => keyJson(one, now));
    print(json, values, () =>
      rows.length === 0
        ? 'There are no keys. `petstore keys create --name "My app" --plan free` makes one.'
        : tableOf(HEAD, rows, process.stdout.isTTY),
    );
  });
}
