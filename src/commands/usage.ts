import { type Command, Option } from "commander";
import { csvRows } from "../adapters/files/csv-table.ts";
import { keyNotFound, ownerText } from "../domain/keys/key.ts";
import { ownerJson } from "../domain/keys/store.ts";
import { timestampOf } from "../domain/time.ts";
import { lengthOf, type Resolution, resolutions, statusClasses, TOTAL } from "../domain/usage/counting.ts";
import {
  MOST_KEYS,
  momentsOf,
  type Point,
  pointsOf,
  type Ranking,
  rankings,
  sumOf,
  topKeys,
  usageByPlan,
} from "../domain/usage/reading.ts";
import { columnsOf, tableOf, terminalWidth } from "./lists.ts";
import { defineCommand, timeOption, wholeNumber } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { type CommandStores, withExistingStores } from "./stores.ts";

/** A range of consecutive minutes, hours or days (Unix ms). */
type Selected = { resolution: Resolution; moments: readonly number[] };

const COLUMNS = ["requests", ...statusClasses, "bans"];

function cellsOf({ requests, byClass, bans }: Point, format: (count: number) => string = String): string[] {
  return [requests, ...statusClasses.map((name) => byClass[name]), bans].map(format);
}

const withSeparators = (count: number) => count.toLocaleString("en");

function countsJson({ requests, byClass, bans }: Point) {
  return { requests, byClass, bans };
}

function rangeJson(selected: Selected) {
  const [from, to] = endsOf(selected);
  return { resolution: selected.resolution, from: timestampOf(from), to: timestampOf(to) };
}

function rangeText(selected: Selected): string {
  const [from, to] = endsOf(selected);
  return `from ${formatTime(from)} to ${formatTime(to)}`;
}

/** When the first point begins and the last one ends, in Unix ms. */
function endsOf({ resolution, moments }: Selected): [number, number] {
  return [moments[0] ?? 0, (moments.at(-1) ?? 0) + lengthOf[resolution]];
}

/** What a command shows: rows of CSV, a value for JSON, or a text. */
type Shown = { csv: () => string[][]; json: () => object; text: () => string };

/** The requests of each plan; none is for requests without a valid key. */
async function usageOfPlans(stores: CommandStores, selected: Selected): Promise<Shown> {
  const plans = await usageByPlan(stores.usage, selected.resolution, selected.moments);
  return {
    csv: () => [
      ["at", "plan", ...COLUMNS],
      ...plans.flatMap(({ plan, points }) => points.map((point) => [timestampOf(point.at), plan, ...cellsOf(point)])),
    ],
    json: () => ({
      ...rangeJson(selected),
      plans: plans.map(({ plan, sum, points }) => ({
        plan,
        ...countsJson(sum),
        points: points.map((point) => ({ at: timestampOf(point.at), ...countsJson(point) })),
      })),
    }),
    text: () => {
      const head = ["plan", ...COLUMNS].map((name) => name.toUpperCase());
      return `${columnsOf([head, ...plans.map(({ plan, sum }) => [plan, ...cellsOf(sum, withSeparators)])])}\n${rangeText(selected)}`;
    },
  };
}

/** The keys with the most requests, or refusals, and their present plans. */
async function usageOfTop(stores: CommandStores, selected: Selected, ranking: Ranking, limit: number): Promise<Shown> {
  const keys = await withNames(stores, await topKeys(stores.usage, selected, ranking, limit));
  return {
    csv: () => [
      ["keyId", "keyName", "plan", "owner", ...COLUMNS],
      ...keys.map(({ keyId, name, plan, owner, sum }) => [
        keyId,
        name,
        plan,
        owner === undefined ? "" : ownerText(owner),
        ...cellsOf(sum),
      ]),
    ],
    json: () => ({
      ...rangeJson(selected),
      keys: keys.map(({ keyId, name, plan, owner, sum }) => ({
        keyId,
        keyName: name,
        plan,
        owner: ownerJson(owner),
        ...countsJson(sum),
      })),
    }),
    text: () => {
      if (keys.length === 0) return `No key has ${ranking} ${rangeText(selected)}.`;
      const head = ["id", "name", "plan", ...COLUMNS].map((column) => column.toUpperCase());
      const rows = keys.map(({ keyId, name, plan, sum }) => [keyId, name, plan, ...cellsOf(sum, withSeparators)]);
      return `${tableOf([head, ...rows], head.indexOf("NAME"), terminalWidth())}\n${rangeText(selected)}`;
    },
  };
}

async function withNames(stores: CommandStores, top: Awaited<ReturnType<typeof topKeys>>) {
  const found = await Promise.all(top.map(async (one) => ({ ...one, stored: await stores.keys.get(one.keyId) })));
  return found.flatMap(({ stored, ...one }) =>
    stored === undefined ? [] : [{ ...one, name: stored.key.name, plan: stored.key.plan, owner: stored.key.owner }],
  );
}

/** The requests of a key, or TOTAL, by status and operation. */
async function usageOf(stores: CommandStores, who: string, selected: Selected): Promise<Shown> {
  const { resolution, moments } = selected;
  const points = pointsOf(moments, await stores.usage.usageOf(who, { [resolution]: moments }));
  const sum = sumOf(moments[0] ?? 0, points);
  return {
    csv: () => {
      const operations = Object.keys(sum.byOperation).sort();
      const rows = points.map((point) => [
        timestampOf(point.at),
        ...cellsOf(point),
        String(point.simulated),
        ...operations.map((operation) => String(point.byOperation[operation] ?? 0)),
      ]);
      return [["at", ...COLUMNS, "simulated", ...operations], ...rows];
    },
    json: () => ({
      ...rangeJson(selected),
      total: totalOf(sum),
      points: points.map((point) => ({ at: timestampOf(point.at), ...totalOf(point) })),
    }),
    text: () => {
      const [from, to] = endsOf(selected);
      const mostFirst = Object.entries(sum.byOperation).sort(([, a], [, b]) => b - a);
      return columnsOf([
        ["from", formatTime(from)],
        ["to", formatTime(to)],
        ["requests", withSeparators(sum.requests)],
        ...statusClasses.map((name) => [`status ${name}`, withSeparators(sum.byClass[name])]),
        ["bans", withSeparators(sum.bans)],
        ...(sum.simulated > 0 ? [["simulated", withSeparators(sum.simulated)]] : []),
        ...mostFirst.map(([operation, requests]) => [operation, withSeparators(requests)]),
      ]);
    },
  };
}

function totalOf({ requests, byClass, byOperation, bans, simulated }: Point) {
  return { requests, byClass, byOperation, bans, simulated };
}

type UsageOptions = {
  resolution: Resolution;
  from?: number;
  to?: number;
  by?: "plan";
  top?: number;
  sort?: Ranking;
  csv?: boolean;
  json?: boolean;
};

export const usageCommand = defineCommand({
  name: "usage",
  description:
    "Show the requests of a key, or of all clients, by status and operation, by plan, or of the busiest keys. They are at most two seconds old, or ten while thousands of keys are in use.",
  arguments: [["[key]", "the key's id: all clients without it"]],
  options: [
    new Option("--resolution <resolution>", "length of the points").choices(resolutions).default("hour"),
    timeOption("--from <time>", "start of the range (default: the last 60 minutes, 24 hours or 30 days)"),
    timeOption("--to <time>", "end of the range (default: now)"),
    new Option("--by <group>", "group all requests by the plan of their key then").choices(["plan"]),
    ["--top <number>", "show only so many keys, the busiest", wholeNumber(1, MOST_KEYS)],
    new Option("--sort <count>", "what --top compares (default: requests)").choices(rankings),
    ["--csv", "print a CSV file with a line per point, or per key with --top"],
  ],
  examples: [
    "petstore usage",
    "petstore usage key_4kTn0aWq7JbYcX2z --resolution day --from 2026-12-01",
    "petstore usage --by plan --from 2026-12-01 --to 2026-12-02",
    "petstore usage --top 10 --sort refusals --resolution day",
    "petstore usage --resolution minute --csv > minutes.csv",
  ],
  action: async (key: string | undefined, options: UsageOptions, command: Command) => {
    const { resolution, from, to = Date.now(), by, top, sort, csv, json } = options;
    if (csv && json) command.error("error: use either --csv or --json");
    if ([key, by, top].filter((one) => one !== undefined).length > 1) {
      command.error("error: use only one of a key, --by and --top");
    }
    if (sort !== undefined && top === undefined) command.error("error: --sort needs --top");
    const range = momentsOf({ resolution, from, to });
    if ("problem" in range) return command.error(`error: --from ${range.problem}`);
    const selected = { resolution, moments: range.moments };
    await withExistingStores(async (stores) => {
      if (key !== undefined && (await stores.keys.get(key)) === undefined) throw keyNotFound(key);
      const shown = await (by !== undefined
        ? usageOfPlans(stores, selected)
        : top !== undefined
          ? usageOfTop(stores, selected, sort ?? "requests", top)
          : usageOf(stores, key ?? TOTAL, selected));
      if (csv) process.stdout.write(csvRows(shown.csv()));
      else print(json, json ? shown.json() : undefined, shown.text);
    });
  },
});
