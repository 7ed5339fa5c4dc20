import {
  type Action,
  actions,
  changesBetween,
  entryJson,
  formatValue,
  nameOf,
  type RecordedEntry,
} from "../domain/audit.ts";
import { auditPages } from "../wiring/exports.ts";
import { cut, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { anyOfOption, integer, timeOption } from "./options.ts";
import { formatTime } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

type AuditOptions = ListOptions & { operator?: string; action?: Action[]; target?: string; since?: number };

/** The width of a name, which leaves most of a line for the change. */
const NAME_WIDTH = 32;

export const auditCommand = defineStoreCommand({
  name: "audit",
  description: "List the changes that operators and commands made, newest first.",
  options: [
    ["--operator <text>", "only changes by the operator with this name or id"],
    anyOfOption("--action <actions>", "only these actions", actions),
    ["--target <id>", "only changes of the key, operator, pet, category or order with this id"],
    timeOption("--since <time>", "only changes since then"),
    ...rangeOptions("changes", integer(0n, BigInt(Number.MAX_SAFE_INTEGER))),
  ],
  examples: [
    "petstore audit --target key_4kTn0aWq7JbYcX2z",
    "petstore audit --action key.revoke,key.disable --since 2026-12-01 --json",
  ],
  action: ({ audit }, options: AuditOptions) => {
    const { operator, action, target, since: from, after } = options;
    return printList(
      {
        pages: auditPages(audit, { operator, action, target, from }, after),
        json: entryJson,
        head: ["TIME", "OPERATOR", "ACTION", "TARGET"],
        flexible: "OPERATOR",
        row: ({ at, operator, action, target = "" }) => [formatTime(at), operator.name, action, target],
        detail: changeOf,
        none: "No change matches.",
      },
      options,
    );
  },
});

/** The name of what changed, and its fields before and after: `"My app" plan: free → pro`. */
function changeOf({ before, after }: RecordedEntry): string {
  const name = nameOf(after) ?? nameOf(before);
  const fields = changesBetween(before, after).map(({ field, from, to }) => {
    const values = from === undefined ? [to] : [from, to];
    return `${field}: ${values.map((value) => formatValue(value, field)).join(" → ")}`;
  });
  return [...(name === undefined ? [] : [cut(JSON.stringify(name), NAME_WIDTH)]), fields.join("; ")].join(" ").trim();
}
