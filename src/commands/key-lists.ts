import { Option } from "commander";
import {
  keyNotFound,
  OWNER_RULE,
  type Owner,
  ownerKeyOf,
  ownerText,
  parseOwner,
  type State,
  type StoredSecret,
  stateOf,
  states,
} from "../domain/keys/key.ts";
import { type SimulationScript, scheduleText } from "../domain/keys/simulation.ts";
import {
  type DeprecatedCalls,
  type KeysPage,
  type KeyWithLimitStatus,
  type KeyWithSecrets,
  keyJson,
} from "../domain/keys/store.ts";
import { type LimitStatus, limitStatusOf, type Plan, plans, type WindowUsage } from "../domain/limits/limits.ts";
import { timestampOf } from "../domain/time.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { anyOfOption, type JsonOption, parser } from "./options.ts";
import { count, formatDay, formatTime, formatTimeOfDay, print } from "./output.ts";
import { type CommandStores, defineStoreCommand } from "./stores.ts";

export const ID = ["<id>", "the key's id, such as key_4kTn…: `petstore keys list` shows it"] as const;

export const parseOwnerArgument = parser(parseOwner, OWNER_RULE);

/** Adds the limit status at `now` (Unix ms) to a key. */
export async function withLimitStatus({ limitStates }: CommandStores, found: KeyWithSecrets, now: number) {
  const state = await limitStates.of(found.key.id);
  return { ...found, limitStatus: state === "unknown" ? undefined : limitStatusOf(state, found.key, now) };
}

/**
 * The state of a key at `now` (Unix ms) as text, with the end of a ban, which lasts a day at most, and whether it has a
 * simulation.
 */
function stateText({ key, limitStatus }: KeyWithLimitStatus, now: number, formatEnd = formatTime): string {
  const text = limitText(stateOf(key, limitStatus?.ban, now), limitStatus, formatEnd);
  return key.simulation === undefined ? text : `${text}, rehearsing`;
}

function limitText(state: State, limitStatus: LimitStatus | undefined, formatEnd: typeof formatTime): string {
  if (state === "active" && limitStatus === undefined) return "active or banned";
  const ban = limitStatus?.ban;
  return state === "banned" && ban !== undefined ? `banned until ${formatEnd(ban.until * 1000)}` : state;
}

/** A key with its counts, which are at most a second old. */
type Details = KeyWithLimitStatus & { deprecated: Map<string, DeprecatedCalls> };

export const show = defineStoreCommand({
  name: "show",
  description: "Show a key with its limits and usage, without its secret. Counts are at most a second old.",
  arguments: [ID],
  examples: ["petstore keys show key_4kTn0aWq7JbYcX2z"],
  action: async (stores, id: string, { json }: JsonOption) => {
    const found = await stores.keys.get(id);
    if (found === undefined) throw keyNotFound(id);
    const now = Date.now();
    const deprecated = await stores.counters.deprecatedCallsOf(id);
    const details = { ...(await withLimitStatus(stores, found, now)), deprecated };
    print(json, jsonOf(details, now), () => columnsOf(rowsOf(details, now)));
  },
});

function jsonOf({ deprecated, ...found }: Details, now: number) {
  const secret = ({ lastFour, createdAt, expiresAt }: StoredSecret) => ({
    lastFour,
    createdAt: timestampOf(createdAt),
    expiresAt: timestampOf(expiresAt),
  });
  const calls = [...deprecated].map(([operation, { calls, lastCalledAt }]) => [
    operation,
    { calls, lastCalledAt: timestampOf(lastCalledAt) },
  ]);
  return {
    ...keyJson(found, now),
    secrets: found.secrets.map(secret),
    deprecatedCalls: Object.fromEntries(calls),
  };
}

function rowsOf({ deprecated, ...found }: Details, now: number): string[][] {
  const { key, secrets, limitStatus } = found;
  const time = (at: number | undefined) => (at === undefined ? "never" : formatTime(at));
  const formatted = (number: number) => number.toLocaleString("en");
  const usage = ({ used, limit, resetAt }: WindowUsage) =>
    `${formatted(used)} of ${count(limit, ["request", "requests"])} used${resetAt === undefined ? "" : `, until ${formatTime(resetAt * 1000)}`}`;
  return [
    ["id", key.id],
    ["name", key.name],
    ...(key.owner === undefined ? [] : [["owner", ownerText(key.owner)]]),
    ...(key.note === undefined ? [] : [["note", key.note]]),
    [
      "plan",
      `${key.plan}: ${count(key.limits.perMinute, ["request", "requests"])} per minute, ${formatted(key.limits.perDay)} per day`,
    ],
    ["scopes", key.scopes.join(", ")],
    ["status", stateText(found, now)],
    ...(key.simulation === undefined ? [] : [["simulation", simulationText(key.simulation)]]),
    ["created", time(key.createdAt)],
    ["expires", time(key.expiresAt)],
    ...(key.disabledAt === undefined ? [] : [["disabled", time(key.disabledAt)]]),
    ...(key.revokedAt === undefined ? [] : [["revoked", time(key.revokedAt)]]),
    ["last used", time(key.lastUsedAt)],
    ...secrets.map(({ lastFour, createdAt, expiresAt }) => [
      "secret",
      `…${lastFour}, created ${time(createdAt)}${expiresAt === undefined ? "" : `, ends ${time(expiresAt)}`}`,
    ]),
    ["minute", limitStatus ? usage(limitStatus.minute) : "unknown"],
    ["day", limitStatus ? usage(limitStatus.day) : "unknown"],
    ...[...deprecated].map(([operation, { calls, lastCalledAt }]) => [
      "deprecated",
      `${operation} called ${count(calls, ["time", "times"])}, last ${time(lastCalledAt)}`,
    ]),
  ];
}

function simulationText({ answer, schedule, requests, startedAt }: SimulationScript): string {
  return `${answer} for ${scheduleText(schedule)}, ${count(requests, ["request", "requests"])} since ${formatTime(startedAt)}`;
}

type KeyListOptions = ListOptions<string> & {
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

export const list = defineStoreCommand({
  name: "list",
  description: "List keys, oldest first. Bans are at most a second old.",
  options: [
    anyOfOption("--state <states>", "only keys in these states", states),
    anyOfOption("--plan <plans>", "only keys on these plans", plans),
    ["--search <text>", "only keys whose id, name, owner or last four characters contain this text"],
    ["--owner <owner>", "only keys of the owner with this e-mail address, or this name", parseOwnerArgument],
    ["--rehearsing", "only keys with a simulation"],
    ["--newest", "newest first"],
    new Option("--by-owner", "grouped by owner, those without one last").conflicts("newest"),
    ...rangeOptions("keys", (id) => id),
  ],
  examples: [
    "petstore keys list --state banned,disabled",
    "petstore keys list --owner ada@example.org",
    'petstore keys list --search "my app" --newest --limit 10',
    "petstore keys list --json | jq '.[] | select(.plan == \"free\") | .id'",
  ],
  action: (stores, options: KeyListOptions) => {
    const { state, plan, search, owner, rehearsing, byOwner } = options;
    const isFiltered = [state, plan, search, owner, rehearsing].some((one) => one !== undefined);
    const now = Date.now();
    return printList(
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
  },
});

async function* pagesOf(
  stores: CommandStores,
  { newest, byOwner, after: start, rehearsing, state, plan, search, owner }: KeyListOptions,
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
