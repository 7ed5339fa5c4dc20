import { Command } from "commander";
import { writeTo } from "../adapters/files/output.ts";
import { changesBetween, formatValue, nameOf } from "../domain/audit/changes.ts";
import { type Action, actions, type RecordedEntry } from "../domain/audit/entry.ts";
import { entryJson } from "../domain/audit/json.ts";
import type { AuditLog } from "../domain/audit/log.ts";
import { jsonArray } from "./json-array.ts";
import { JSON_OPTION } from "./keys/options.ts";
import { anyOfOption, limitOption, timeOption } from "./options.ts";
import { withExistingStores } from "./stores.ts";
import { cut, tableOf, terminalWidth } from "./table.ts";
import { formatTime } from "./time.ts";

type Options = {
  operator?: string;
  action?: Action[];
  target?: string;
  since?: number;
  limit: number;
  json?: boolean;
};

const PAGE_SIZE = 500;
const HEAD = ["TIME", "OPERATOR", "ACTION", "TARGET"];
/** The column that is cut on a narrow terminal. */
const OPERATOR = HEAD.indexOf("OPERATOR");
/** The width of a name, which leaves most of a line for the change. */
const NAME_WIDTH = 32;

export function auditCommand(): Command {
  return new Command("audit")
    .description("List the changes that operators and commands made, newest first.")
    .option("--operator <text>", "only changes by the operator with this name or id")
    .addOption(anyOfOption("--action <actions>", "only these actions", actions))
    .option("--target <id>", "only changes of the key, operator, pet, category or order with this id")
    .addOption(timeOption("--since <time>", "only changes since then"))
    .addOption(limitOption("at most so many changes").default(50))
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(audit);
}

const EXAMPLES = `
Examples:
  petstore audit --target key_4kTn0aWq7JbYcX2z
  petstore audit --action key.revoke,key.disable --since 2026-12-01 --json`;

async function audit(options: Options): Promise<void> {
  await withExistingStores(async (stores) => {
    const entries = entriesOf(stores.audit, options);
    const texts = options.json ? jsonArray(valuesOf(entries)) : linesOf(entries);
    await writeTo(process.stdout, "standard output", texts);
  });
}

async function* entriesOf(log: AuditLog, options: Options): AsyncGenerator<RecordedEntry> {
  const { operator, action, target, since: from, limit } = options;
  let left = limit;
  let before: number | undefined;
  do {
    const page: RecordedEntry[] = await log.list({
      ...{ operator, action, target, from, before },
      limit: PAGE_SIZE,
    });
    for (const entry of page) {
      if (left === 0) return;
      yield entry;
      left -= 1;
    }
    before = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined;
  } while (before !== undefined);
}

async function* valuesOf(entries: AsyncIterable<RecordedEntry>): AsyncGenerator<unknown> {
  for await (const entry of entries) yield entryJson(entry);
}

/** Yields a line for each entry and, below it, one for what changed. */
async function* linesOf(entries: AsyncIterable<RecordedEntry>): AsyncGenerator<string> {
  const rows = [HEAD];
  const changes = [""];
  for await (const entry of entries) {
    const { at, operator, action, target = "" } = entry;
    rows.push([formatTime(at), operator.name, action, target]);
    changes.push(changeOf(entry));
  }
  if (rows.length === 1) yield "No change matches.\n";
  else {
    const width = terminalWidth();
    const lines = tableOf(rows, OPERATOR, width).split("\n");
    yield* lines.map((line, i) => `${line}\n${changes[i] ? `${cut(`  ${changes[i]}`, width)}\n` : ""}`);
  }
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
