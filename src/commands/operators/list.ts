import { Command } from "commander";
import { operatorJson } from "../../domain/operators/json.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { asRun } from "../launcher.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { tableOf, terminalWidth } from "../table.ts";
import { formatDay } from "../time.ts";

const HEAD = ["ID", "NAME", "ROLE", "CREATED", "STATUS"];
/** The column that is cut on a narrow terminal. */
const NAME = HEAD.indexOf("NAME");

export function listCommand(): Command {
  return new Command("list")
    .description("List all operators, oldest first.")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore operators list --json | jq '.[] | select(.role == \"admin\") | .id'")
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ operators }) => {
    const found = await operators.list();
    const rows = found.map(({ id, name, role, createdAt, revokedAt }) => [
      id,
      name,
      role,
      formatDay(createdAt),
      revokedAt === undefined ? "active" : `revoked ${formatDay(revokedAt)}`,
    ]);
    print(json, found.map(operatorJson), () =>
      rows.length === 0
        ? asRun('There are no operators. `petstore operators create --name "Ada" --role admin` creates one.')
        : tableOf([HEAD, ...rows], NAME, terminalWidth()),
    );
  });
}
