import { Command, Option } from "commander";
import { type KeyWithLimitStatus, keyJson } from "../../domain/keys/json.ts";
import type { KeysPage } from "../../domain/keys/listing.ts";
import { type Owner, ownerKeyOf, ownerText } from "../../domain/keys/owner.ts";
import { type State, states } from "../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { type Plan, plans } from "../../domain/limits/plans.ts";
import { type ListOptions, printList, rangeOptions } from "../listing.ts";
import { anyOfOption } from "../options.ts";
import { type Stores, withExistingStores } from "../stores.ts";
import { formatDay, formatTimeOfDay } from "../time.ts";
import { keyNotFound } from "./key-not-found.ts";
import { stateText, withLimitStatus } from "./limit-status.ts";
import { JSON_OPTION, parseOwnerArgument } from "./options.ts";

type Options = ListOptions<string> & {
  state?: State[];
  plan?: Plan[];
  search?: string;
  owner?: Owner;
  rehearsing?: boolean;
  newest?: boolean;
  byOwner?: boolean;
};

const PAGE_SIZE = 100;
const NONE = 'There are no keys. `petstore keys create --name "My app" --plan free` creates one.';
const NONE_SELECTED = "No key matches.";

export function listCommand(): Command {
  const [limit, after] = rangeOptions("keys", (id) => id);
  return new Command("list")
    .description("List keys, oldest first. Bans are at most a second old.")
    .addOption(anyOfOption("--state <states>", "only keys in these states", states))
    .addOption(anyOfOption("--plan <plans>", "only keys on these plans", plans))
    .option("--search <text>", "only keys whose id, name, owner or last four characters contain this text")
    .option("--owner <owner>", "only keys of the owner with this e-mail address, or this name", parseOwnerArgument)
    .option("--rehearsing", "only keys with a simulation")
    .option("--newest", "newest first")
    .addOption(new Option("--by-owner", "grouped by owner, those without one last").conflicts("newest"))
    .addOption(limit)
    .addOption(after)
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(list);
}

const EXAMPLES = `
Examples:
  petstore keys list --state banned,disabled
  petstore keys list --owner ada@example.org
  petstore keys list --search "my app" --newest --limit 10
  petstore keys list --json | jq '.[] | select(.plan == "free") | .id'`;

async function list(options: Options): Promise<void> {
  const { state, plan, search, owner, rehearsing, byOwner } = options;
  const isFiltered = [state, plan, search, owner, rehearsing].some((one) => one !== undefined);
  await withExistingStores(async (stores) => {
    const now = Date.now();
    await printList(
      {
        pages: pagesOf(stores, options, now),
        json: async (one) => keyJson(await withLimitStatus(stores, one, now), now),
        head: ["ID", "NAME", "PLAN", "STATUS", "LAST USED"],
        flexible: "NAME",
        row: async (one) => rowOf(await withLimitStatus(stores, one, now), now),
        group: byOwner ? byOwnerGroup : undefined,
        detail: ({ key: { owner, note } }) =>
          [byOwner || !owner ? "" : ownerText(owner), note].filter(Boolean).join(" · "),
        none: isFiltered ? NONE_SELECTED : NONE,
      },
      options,
    );
  });
}

async function* pagesOf(
  stores: Stores,
  { newest, byOwner, after: start, rehearsing, state, plan, search, owner }: Options,
  now: number,
) {
  const filter = { state, plan, search, owner, isRehearsing: rehearsing };
  const order: KeysPage["order"] = byOwner ? "owner" : newest ? "newest" : "oldest";
  let after = start === undefined ? undefined : (await stores.keys.get(start))?.key;
  if (start !== undefined && after === undefined) throw keyNotFound(start);
  for (;;) {
    const page = await stores.keys.list({ ...filter, order, limit: PAGE_SIZE, after }, now);
    if (page.length > 0) yield page.map((one) => ({ id: one.key.id, ...one }));
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.key;
  }
}

const byOwnerGroup = {
  of: ({ key }: KeyWithSecrets) => ownerKeyOf(key.owner),
  heading: ({ key: { owner } }: KeyWithSecrets) => (owner === undefined ? "No owner" : ownerText(owner)),
};

/** The cells that identify a key within 80 columns; `keys show` and `--json` have the rest. */
function rowOf(listed: KeyWithLimitStatus, now: number): string[] {
  const { key } = listed;
  return [
    key.id,
    key.name,
    key.plan,
    stateText(listed, now, formatTimeOfDay),
    key.lastUsedAt === undefined ? "never" : formatDay(key.lastUsedAt),
  ];
}
