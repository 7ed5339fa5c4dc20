import { Command } from "commander";
import {
  type Action,
  actions,
  changesBetween,
  entryJson,
  formatValue,
  nameOf,
  type RecordedEntry,
} from "../domain/audit.ts";
import { pagesOf } from "../wiring/exports.ts";
import { cut, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { anyOfOption, integer, JSON_OPTION, timeOption } from "./options.ts";
import { formatTime } from "./output.ts";
import { withExistingStores } from "./stores.ts";

type AuditOptions = ListOptions & { operator?: string; action?: Action[]; target?: string; since?: number };

/** The width of a name, which leaves most of a line for the change. */
const NAME_WIDTH = 32;

export function auditCommand(): Command {
  const [limit, after] = rangeOptions("changes", integer(0n, BigInt(Number.MAX_SAFE_INTEGER)));
  return new Command("audit")
    .description("List the changes that operators and commands made, newest first.")
    .option("--operator <text>", "only changes by the operator with this name or id")
    .addOption(anyOfOption("--action <actions>", "only these actions", actions))
    .option("--target <id>", "only changes of the key, operator, pet, category or order with this id")
    .addOption(timeOption("--since <time>", "only changes since then"))
    .addOption(limit)
    .addOption(after)
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(audit);
}

const EXAMPLES = `
Examples:
  petstore audit --target key_4kTn0aWq7JbYcX2z
  petstore audit --action key.revoke,key.disable --since 2026-12-01 --json`;

async function audit(options: AuditOptions): Promise<void> {
  const { operator, action, target, since: from, after } = options;
  await withExistingStores(async ({ audit }) => {
    await printList(
      {
        pages: pagesOf(
          ({ limit, after: id }) =>
            audit.list({ operator, action, target, from, limit, before: id === undefined ? undefined : Number(id) }),
          after,
        ),
        json: entryJson,
        head: ["TIME", "OPERATOR", "ACTION", "TARGET"],
        flexible: "OPERATOR",
        row: ({ at, operator, action, target = "" }) => [formatTime(at), operator.name, action, target],
        detail: changeOf,
        none: "No change matches.",
      },
      options,
    );
  });
}

/** The name of what changed, and its fields before and after: `"My app" plan: free → pro`. */
function changeOf({ before, after }: RecordedEntry): string {
  const name = nameOf(after) ?? nameOf(before);
  const fields = changesBetween(before, after).map(({ field, from, to }) => {
    const values = from === undefined ? [to] : [from, to];
    return `${field}: ${values.map((value) => formatValue(value, field)).join(" → ")}`;
  });
  return [...(name === undefined ? [] : [cut(JSON.stringify(name), NAME_WIDTH)]), fields.join("; ")].join(" ").trim();
}
