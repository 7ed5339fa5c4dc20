import { Command } from "commander";
import type { DeprecatedCalls } from "../../domain/keys/activity.ts";
import type { StoredSecret } from "../../domain/keys/key.ts";
import type { KeyWithSecrets } from "../../domain/keys/store.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { LimitStatus, WindowUsage } from "../../domain/limits/limiter.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { isoOf, readableOf } from "../time.ts";
import { keyNotFound } from "./key-not-found.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";
import { statusText, summaryOf } from "./summary.ts";

/** All that is known of a key. Counts are at most a second old. */
type Details = KeyWithSecrets & { standing: LimitStatus; deprecated: Map<string, DeprecatedCalls> };

export function showCommand(): Command {
  return new Command("show")
    .description("Show everything about one key but its secret. Counts are at most a second old.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys show key_4kTn0aWq7JbYcX2z")
    .action(show);
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ keys, counters, limitStates }) => {
    const found = await keys.get(id);
    if (found === undefined) throw keyNotFound(id);
    const details = {
      ...found,
      standing: limitStatusOf(await limitStates.of(id), found.key, Date.now()),
      deprecated: await counters.deprecatedCallsOf(id),
    };
    print(json, jsonOf(details), () => columnsOf(rowsOf(details)));
  });
}

function jsonOf({ standing, deprecated, ...found }: Details) {
  const use = ({ used, limit, resetAt }: WindowUsage) => ({ used, limit, resetAt: isoOf(resetAt && resetAt * 1000) });
  const secret = ({ lastFour, createdAt, expiresAt }: StoredSecret) => ({
    lastFour,
    createdAt: isoOf(createdAt),
    expiresAt: isoOf(expiresAt),
  });
  const calls = [...deprecated].map(([operation, { calls, lastCalledAt }]) => [
    operation,
    { calls, lastCalledAt: isoOf(lastCalledAt) },
  ]);
  return {
    ...summaryOf(found, standing),
    secrets: found.secrets.map(secret),
    usage: { minute: use(standing.minute), day: use(standing.day) },
    deprecatedCalls: Object.fromEntries(calls),
  };
}

function rowsOf({ standing, deprecated, ...found }: Details): string[][] {
  const { key, secrets } = found;
  const moment = (at: number | undefined) => (at === undefined ? "never" : readableOf(at));
  const count = (number: number) => number.toLocaleString("en");
  const use = ({ used, limit, resetAt }: WindowUsage) =>
    `${count(used)} of ${count(limit)} requests used${resetAt === undefined ? "" : `, until ${readableOf(resetAt * 1000)}`}`;
  return [
    ["id", key.id],
    ["name", key.name],
    ["plan", `${key.plan}: ${count(key.limits.perMinute)} requests a minute, ${count(key.limits.perDay)} a day`],
    ["scopes", key.scopes.join(", ")],
    ["status", statusText(found, standing)],
    ["created", moment(key.createdAt)],
    ["expires", moment(key.expiresAt)],
    ...(key.revokedAt === undefined ? [] : [["revoked", moment(key.revokedAt)]]),
    ["last used", moment(key.lastUsedAt)],
    ...secrets.map(({ lastFour, createdAt, expiresAt }) => [
      "secret",
      `…${lastFour}, created ${moment(createdAt)}${expiresAt === undefined ? "" : `, ends ${moment(expiresAt)}`}`,
    ]),
    ["minute", use(standing.minute)],
    ["day", use(standing.day)],
    ...[...deprecated].map(([operation, { calls, lastCalledAt }]) => [
      "deprecated",
      `${operation} called ${count(calls)} times, last ${moment(lastCalledAt)}`,
    ]),
  ];
}
