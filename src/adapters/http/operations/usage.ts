import { z } from "zod";
import type { RequestKey } from "../../../domain/keys/key.ts";
import { type LimitStatus, plans, windowJson } from "../../../domain/limits/limits.ts";
import { reference } from "../../../domain/schemas.ts";
import { timestampOf } from "../../../domain/time.ts";
import { OTHER, statusClasses } from "../../../domain/usage/counting.ts";
import { countsOf, type Point } from "../../../domain/usage/reading.ts";
import { operation } from "../operation.ts";
import { etagOf, representationResponse, tagOfText } from "../responses.ts";

export const count = z.int().meta({ type: "integer", minimum: 0 });
export const time = z.iso.datetime();
const counts = (names: readonly string[]) => z.object(Object.fromEntries(names.map((name) => [name, count])));

const Window = z
  .object({
    limit: count.meta({ description: "Requests that the window allows." }),
    used: count.meta({ description: "Requests counted so far." }),
    remaining: count.meta({ description: "Requests that remain." }),
    resetAt: time.nullable().meta({ description: "When the window ends; null while it is not open." }),
  })
  .meta({ id: "UsageWindow", description: "A window of requests. The first counted request opens it." });

export const Ban = z
  .object({ until: time.meta({ description: "When the ban ends." }) })
  .meta({ id: "Ban", description: "A ban of a key, which kept sending requests after refusals." });

export const PlanName = z
  .enum(plans)
  .meta({ id: "Plan", description: "The plan of a key, which sets its limits.", examples: ["free"] });

export const RequestsByClass = z.record(z.string(), count).meta({
  id: "RequestsByClass",
  propertyNames: { enum: [...statusClasses] },
  minProperties: statusClasses.length,
  description: "By response status, all four of them; 4xx without 429.",
});

const usageOf = (names: readonly string[]) => {
  const Hour = z
    .object({
      at: time.meta({ description: "When the hour begins." }),
      requests: count.meta({ description: "All requests in this hour, except simulated ones." }),
      byClass: reference(RequestsByClass),
      byOperation: counts(names).meta({
        id: "RequestsByOperation",
        description: "By operation; `other` counts requests for no operation.",
      }),
      simulated: count.meta({ description: "Requests that were rehearsals, on staging. No other count has them." }),
    })
    .meta({ id: "UsageHour", description: "The key's requests in one hour." });
  return z
    .object({
      plan: reference(PlanName),
      minute: reference(Window).meta({ description: "The window of 60 seconds." }),
      day: reference(Window).meta({ description: "The window of 24 hours." }),
      strikes: count.meta({ description: "Strikes in the last ten minutes. Too many lead to a ban." }),
      ban: reference(Ban).nullable().meta({
        description:
          "The current ban, or null. During a ban requests are refused, although the windows may have some left.",
      }),
      last24Hours: z.array(Hour).max(24).meta({
        description: "The current hour and the 23 before it, oldest first, in UTC.",
      }),
    })
    .meta({
      id: "Usage",
      description: "Usage and remaining requests of an API key.",
      examples: [exampleOf(names)],
    });
};

/** GET /usage, with counts of these operations and itself. Source: docs/usage.md. */
export function getUsageOf(others: readonly { id: string }[]) {
  const names = [...others.map(({ id }) => id), "getUsage", OTHER];
  const textOf = hourText(names);
  const kept = keptText(textOf);
  return operation({
    id: "getUsage",
    route: "GET /usage",
    isFree: true,
    summary: "Read your key's usage",
    description: `Returns the state of both windows, strikes, the ban, and the key's requests in the last 24 hours.
It is free: it counts in none of the plan's windows, works when no requests remain and during a ban, and needs no scope.
Beyond 60 requests per minute it is refused with 429, which is no strike. An addition to version 1.0.0 of the interface.`,
    answers: {
      200: {
        description: "Usage and remaining requests of the key.",
        schema: usageOf(names),
      },
    },
    handle: async ({ lastDay, clock }, { context }) => {
      const { key, limitStatus } = context;
      if (limitStatus === undefined) throw new Error("getUsage was counted as if it were not free");
      const { past, recent } = await lastDay(key.id, clock());
      const limits = JSON.stringify(limitsJson(key, limitStatus));
      const start = `${limits.slice(0, -1)},"last24Hours":[`;
      const pastHours = kept(past);
      const end = `${recent.map(textOf).join()}]}`;
      const etag = etagOf(tagOfText(start + pastHours.tag + end));
      return representationResponse(context, { body: start + pastHours.text + end, etag });
    },
  });
}

function limitsJson({ plan }: Pick<RequestKey, "plan">, { minute, day, strikes, ban }: LimitStatus) {
  return {
    plan,
    minute: windowJson(minute),
    day: windowJson(day),
    strikes,
    ban: ban === undefined ? null : { until: timestampOf(ban.until * 1000) },
  };
}

/** The JSON text of past hours, each with a comma behind it, and its tag. Few calls have others than the one before. */
function keptText(textOf: (hour: Point) => string) {
  const texts = new WeakMap<readonly Point[], { text: string; tag: string }>();
  return (past: readonly Point[]) => {
    const known = texts.get(past);
    if (known !== undefined) return known;
    const text = past.map((hour) => `${textOf(hour)},`).join("");
    const made = { text, tag: tagOfText(text) };
    texts.set(past, made);
    return made;
  };
}

/** The JSON text of an hour, written by hand: see `Point.byClass`. */
function hourText(names: readonly string[]) {
  const countsOfNames = countsOf(names);
  return ({ at, requests, counts, byOperation, simulated }: Point): string => {
    const byClass = statusClasses.map((name, i) => `"${name}":${counts[i]}`).join();
    const operations = JSON.stringify(countsOfNames(byOperation));
    return `{"at":"${timestampOf(at)}","requests":${requests},"byClass":{${byClass}},"byOperation":${operations},"simulated":${simulated}}`;
  };
}

function exampleOf(names: readonly string[]) {
  const byOperation = { listPets: 159, createPet: 2, getUsage: 1 };
  return {
    plan: "free",
    minute: { limit: 60, used: 60, remaining: 0, resetAt: "2026-12-02T10:01:00.000Z" },
    day: { limit: 1_000, used: 60, remaining: 940, resetAt: "2026-12-03T10:00:00.000Z" },
    strikes: 0,
    ban: { until: "2026-12-02T10:05:30.000Z" },
    last24Hours: [
      {
        at: "2026-12-02T10:00:00.000Z",
        requests: 162,
        byClass: { "2xx": 60, "4xx": 1, "429": 101, "5xx": 0 },
        byOperation: countsOf(names)(byOperation),
        simulated: 0,
      },
    ],
  };
}
