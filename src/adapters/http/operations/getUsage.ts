import { z } from "zod";
import type { Key } from "../../../domain/keys/key.ts";
import { windowJson } from "../../../domain/limits/json.ts";
import type { LimitStatus } from "../../../domain/limits/limiter.ts";
import { plans } from "../../../domain/limits/plans.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import type { Point } from "../../../domain/usage/point.ts";
import { OTHER } from "../../../domain/usage/recorder.ts";
import { statusClasses } from "../../../domain/usage/tally.ts";
import { countsOf } from "../counts.ts";
import { jsonText } from "../request-context.ts";
import { operation } from "./operation.ts";

const count = z.int().meta({ type: "integer", minimum: 0 });
const moment = z.iso.datetime();
const counts = (names: readonly string[]) => z.object(Object.fromEntries(names.map((name) => [name, count])));

const Window = z
  .object({
    limit: count.meta({ description: "Requests that it allows." }),
    used: count.meta({ description: "Requests that it has counted." }),
    remaining: count.meta({ description: "Requests that it has left." }),
    resetAt: moment.nullable().meta({ description: "When it ends; null while it is not open." }),
  })
  .meta({ id: "UsageWindow", description: "A window of requests. It opens with the first one that counts." });

const usageOf = (names: readonly string[]) => {
  const Hour = z
    .object({
      at: moment.meta({ description: "When the hour begins." }),
      requests: count,
      byClass: counts(statusClasses).meta({ description: "By the status of their answers; 4xx without 429." }),
      byOperation: counts(names).meta({ description: "By operation; other is what no operation answers." }),
    })
    .meta({ id: "UsageHour", description: "What the key did in one hour." });
  return z
    .object({
      plan: z.enum(plans),
      minute: Window.meta({ description: "The window of 60 seconds." }),
      day: Window.meta({ description: "The window of 24 hours." }),
      strikes: count.meta({ description: "Strikes of the last ten minutes: enough of them are a ban." }),
      ban: z
        .object({ until: moment })
        .nullable()
        .meta({ description: "The ban that holds just now, or null. While it does, nothing remains." }),
      last24Hours: z.array(Hour).meta({
        description: "The hour that is under way and the 23 before it, oldest first, in UTC.",
      }),
    })
    .meta({ id: "Usage", description: "What an API key has used, and what it has left." });
};

/** GET /usage, which counts by these operations and itself. Source: docs/usage.md. */
export function getUsageOf(others: readonly { id: string }[]) {
  const names = [...others.map(({ id }) => id), "getUsage", OTHER];
  const textOf = hourText(names);
  return operation({
    id: "getUsage",
    method: "get",
    path: "/usage",
    isFree: true,
    tag: "usage",
    summary: "Read your key's use",
    description: `What the key has used and has left: both windows, strikes, a ban, and what it did in the last 24 hours.
Free: it counts in none of the plan's windows, is answered when nothing is left and during a ban, and needs no scope. Beyond
60 requests a minute it is refused with 429, which is no strike. An addition to version 1.0.0 of the interface.`,
    additionTo: "1.0.0",
    answers: {
      200: {
        description: "What the key has used, and has left.",
        schema: usageOf(names),
        example: exampleOf(names),
      },
    },
    handle:
      ({ lastDay, clock }) =>
      async ({ context }) => {
        const { key, limitStatus } = context;
        if (limitStatus === undefined) throw new Error("getUsage was counted as if it were not free");
        const limits = JSON.stringify(limitsJson(key, limitStatus));
        const hours = (await lastDay(key.id, clock())).map(textOf);
        return jsonText(context, 200, `${limits.slice(0, -1)},"last24Hours":[${hours.join()}]}`);
      },
  });
}

function limitsJson({ plan }: Key, { minute, day, strikes, ban }: LimitStatus) {
  return {
    plan,
    minute: windowJson(minute),
    day: windowJson(day),
    strikes,
    ban: ban === undefined ? null : { until: timestampOf(ban.until * 1000) },
  };
}

/** The JSON text of an hour. The same hour is often asked for again as the same object. */
function hourText(names: readonly string[]) {
  const texts = new WeakMap<Point, string>();
  const jsonOf = hourJson(names);
  return (hour: Point): string => {
    const known = texts.get(hour);
    if (known !== undefined) return known;
    const text = JSON.stringify(jsonOf(hour));
    texts.set(hour, text);
    return text;
  };
}

const hourJson =
  (names: readonly string[]) =>
  ({ at, requests, byClass, byOperation }: Point) => ({
    at: timestampOf(at),
    requests,
    byClass,
    byOperation: countsOf(names, byOperation),
  });

function exampleOf(names: readonly string[]) {
  const byOperation = { listPets: 2, createPet: 1, getUsage: 1 };
  return {
    plan: "free",
    minute: { limit: 60, used: 3, remaining: 57, resetAt: "2026-12-02T10:01:00.000Z" },
    day: { limit: 1_000, used: 3, remaining: 997, resetAt: "2026-12-03T10:00:00.000Z" },
    strikes: 0,
    ban: null,
    last24Hours: [
      {
        at: "2026-12-02T10:00:00.000Z",
        requests: 4,
        byClass: { "2xx": 3, "4xx": 1, "429": 0, "5xx": 0 },
        byOperation: countsOf(names, byOperation),
      },
    ],
  };
}
