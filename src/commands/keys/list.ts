import { Command } from "commander";
import { writeTo } from "../../adapters/files/output.ts";
import { type KeyWithLimitStatus, keyJson } from "../../domain/keys/json.ts";
import type { KeysPage } from "../../domain/keys/listing.ts";
import { type State, states } from "../../domain/keys/state.ts";
import type { LimitStatus } from "../../domain/limits/limiter.ts";
import { type Plan, plans } from "../../domain/limits/plans.ts";
import { jsonArray } from "../json-array.ts";
import { anyOfOption, limitOption } from "../options.ts";
import { type Stores, withExistingStores } from "../stores.ts";
import { tableOf, terminalWidth } from "../table.ts";
import { formatDay, formatTimeOfDay } from "../time.ts";
import { stateText, withLimitStatus } from "./limit-status.ts";
import { JSON_OPTION } from "./options.ts";

type Options = { state?: State[]; plan?: Plan[]; search?: string; newest?: boolean; limit?: number; json?: boolean };
type Listed = KeyWithLimitStatus & { limitStatus: LimitStatus };

const HEAD = ["ID", "NAME", "PLAN", "STATUS", "LAST USED"];
/** The column that is cut on a narrow terminal. */
const NAME = HEAD.indexOf("NAME");
const PAGE_SIZE = 500;
const NONE = 'There are no keys. `petstore keys create --name "My app" --plan free` creates one.';
const NONE_SELECTED = "No key matches.";

export function listCommand(): Command {
  return new Command("list")
    .description("List keys, oldest first. Bans are at most a second old.")
    .addOption(anyOfOption("--state <states>", "only keys in these states", states))
    .addOption(anyOfOption("--plan <plans>", "only keys on these plans", plans))
    .option("--search <text>", "only keys whose id, name or last four characters contain this text")
    .option("--newest", "newest first")
    .addOption(limitOption("at most so many keys"))
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(list);
}

const EXAMPLES = `
Examples:
  petstore keys list --state banned,disabled
  petstore keys list --search "my app" --newest --limit 10
  petstore keys list --json | jq '.[] | select(.plan == "free") | .id'`;

async function list(options: Options): Promise<void> {
  await withExistingStores(async (stores) => {
    const now = Date.now();
    const pages = pagesOf(stores, options, now);
    const texts = options.json ? jsonArray(valuesOf(pages, now)) : tablesOf(pages, options);
    await writeTo(process.stdout, "standard output", texts);
  });
}

/** Yields the keys page by page, so that a long list takes little memory. */
async function* pagesOf(stores: Stores, { newest, limit = Infinity, ...filter }: Options, now: number) {
  const order: KeysPage["order"] = newest ? "newest" : "oldest";
  const { state, plan, search } = filter;
  let after: KeysPage["after"];
  for (let left = limit; left > 0; ) {
    const page = { state, plan, search, order, limit: Math.min(left, PAGE_SIZE), after };
    const found = await stores.keys.list(page, now);
    if (found.length > 0) yield await Promise.all(found.map((one) => withLimitStatus(stores, one, now)));
    if (found.length < page.limit) return;
    after = found.at(-1)?.key;
    left -= found.length;
  }
}

async function* valuesOf(pages: AsyncIterable<Listed[]>, now: number): AsyncGenerator<unknown> {
  for await (const page of pages) yield* page.map((one) => keyJson(one, now));
}

async function* tablesOf(pages: AsyncIterable<Listed[]>, { state, plan, search }: Options): AsyncGenerator<string> {
  let isFirst = true;
  for await (const page of pages) {
    const rows = page.map(rowOf);
    const needsHead = isFirst || process.stdout.isTTY;
    yield `${tableOf(needsHead ? [HEAD, ...rows] : rows, NAME, terminalWidth())}\n`;
    isFirst = false;
  }
  const isFiltered = [state, plan, search].some((one) => one !== undefined);
  if (isFirst) yield `${isFiltered ? NONE_SELECTED : NONE}\n`;
}

/** The cells that identify a key within 80 columns; `keys show` and `--json` have the rest. */
function rowOf(listed: Listed): string[] {
  const { key, limitStatus } = listed;
  return [
    key.id,
    key.name,
    key.plan,
    stateText(listed, limitStatus, formatTimeOfDay),
    key.lastUsedAt === undefined ? "never" : formatDay(key.lastUsedAt),
  ];
}
