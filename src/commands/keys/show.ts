import { Command } from "commander";
import type { DeprecatedCalls } from "../../domain/keys/activity.ts";
import { type KeyWithLimitStatus, keyJson } from "../../domain/keys/json.ts";
import type { StoredSecret } from "../../domain/keys/key.ts";
import { ownerText } from "../../domain/keys/owner.ts";
import type { WindowUsage } from "../../domain/limits/limiter.ts";
import { scheduleText } from "../../domain/simulation/schedule.ts";
import type { SimulationScript } from "../../domain/simulation/script.ts";
import { timestampOf } from "../../domain/timestamp.ts";
import { count } from "../count.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { formatTime } from "../time.ts";
import { keyNotFound } from "./key-not-found.ts";
import { stateText, withLimitStatus } from "./limit-status.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

/** A key with its counts, which are at most a second old. */
type Details = KeyWithLimitStatus & { deprecated: Map<string, DeprecatedCalls> };

export function showCommand(): Command {
  return new Command("show")
    .description("Show a key with its limits and usage, without its secret. Counts are at most a second old.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys show key_4kTn0aWq7JbYcX2z")
    .action(show);
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async (stores) => {
    const found = await stores.keys.get(id);
    if (found === undefined) throw keyNotFound(id);
    const now = Date.now();
    const deprecated = await stores.counters.deprecatedCallsOf(id);
    const details = { ...(await withLimitStatus(stores, found, now)), deprecated };
    print(json, jsonOf(details, now), () => columnsOf(rowsOf(details, now)));
  });
}

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
