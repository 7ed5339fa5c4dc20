import { Command } from "commander";
import { keyJson } from "../../domain/keys/json.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { tableOf } from "../table.ts";
import { formatTime } from "../time.ts";
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
    const found = await Promise.all(all.map((entry) => withLimitStatus(stores, entry, now)));
    const rows = found.map((entry) => [
      entry.key.id,
      entry.key.name,
      entry.key.plan,
      entry.secrets[0]?.lastFour ?? "",
      stateText(entry, entry.limitStatus),
      entry.key.lastUsedAt === undefined ? "never" : formatTime(entry.key.lastUsedAt),
    ]);
    const values = found.map((entry) => keyJson(entry, now));
    print(json, values, () =>
      rows.length === 0
        ? 'There are no keys. `petstore keys create --name "My app" --plan free` creates one.'
        : tableOf(HEAD, rows, process.stdout.isTTY),
    );
  });
}
