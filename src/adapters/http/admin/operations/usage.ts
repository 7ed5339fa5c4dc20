import { z } from "zod";
import { invalidParameters, PetstoreError } from "../../../../domain/errors.ts";
import { MAX_NAME_LENGTH, states } from "../../../../domain/keys/key.ts";
import { ownerJson } from "../../../../domain/keys/store.ts";
import { plans } from "../../../../domain/limits/limits.ts";
import { Inventory } from "../../../../domain/pets.ts";
import { reference } from "../../../../domain/schemas.ts";
import { timestampOf } from "../../../../domain/time.ts";
import { countedPlans, lengthOf, resolutions, statusClasses, TOTAL } from "../../../../domain/usage/counting.ts";
import {
  type Point as CountedPoint,
  countsOf,
  DEFAULT_POINTS,
  type Latency,
  latencyIn,
  MOST_IN_SUMMARY,
  MOST_KEYS,
  MOST_POINTS,
  momentsOf,
  overview,
  pointsOf,
  rankings,
  topKeys,
  type Summary as UsageSummary,
  usageByPlan,
} from "../../../../domain/usage/reading.ts";
import { operationNames } from "../../operations/index.ts";
import { count, pageLimit, text, time, timestamp, wholeNumber } from "../../parameters.ts";
import { json } from "../../request.ts";
import { id } from "../fields.ts";
import { exampleKey, KeyOwner, KeyPath } from "./keys.ts";
import { type OperatorServices, operation } from "./operation.ts";
import { OrderCounts } from "./orders.ts";

const milliseconds = z.number().min(0).nullable();

const latency = z.strictObject({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).meta({
  description: "Percentiles of the response time in ms; null without requests.",
});

const exampleLatency = { p50: 0.12, p95: 0.31, p99: 1.4 };

function latencyJson({ p50, p95, p99 }: Latency): z.infer<typeof latency> {
  const rounded = (milliseconds: number | undefined) =>
    milliseconds === undefined ? null : Number(milliseconds.toPrecision(3));
  return { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) };
}

const UsageQuery = z.object({
  resolution: z
    .enum(resolutions, { error: `must be one of ${resolutions.join(", ")}` })
    .default("hour")
    .meta({
      description: "The length of time that each point covers.",
    }),
  from: time.optional().meta({
    description: `By default the response has ${DEFAULT_POINTS.minute} minutes, ${DEFAULT_POINTS.hour} hours or ${DEFAULT_POINTS.day} days.`,
  }),
  points: wholeNumber(1, MOST_POINTS).optional().meta({
    description: "The number of points up to `to`, if there is no `from`.",
  }),
  to: time.optional().meta({ description: "By default now. The minute, hour or day of this time is included." }),
});

const countsOfOperations = countsOf(operationNames);

const counts = <const Name extends string>(names: readonly Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>);

const byClass = counts(statusClasses).meta({
  id: "ByClass",
  description: "By status of the response; 4xx is without 429.",
});
const refusals = count.meta({ description: "Responses with status 429." });
const bans = count.meta({ description: "Bans that began." });

export const Point = z
  .strictObject({
    at: timestamp.meta({ description: "When the minute, hour or day begins, in UTC." }),
    requests: count,
    byClass,
    byOperation: counts(operationNames).meta({ description: "By operation; other is for requests that match none." }),
    bans,
    simulated: count.meta({ description: "Simulated requests on staging. No other count has them." }),
  })
  .meta({ id: "Point", description: "The requests to the public interface in one minute, hour or day." });

const examplePoint = {
  at: "2026-12-02T10:00:00.000Z",
  requests: 3,
  byClass: { "2xx": 3, "4xx": 0, "429": 0, "5xx": 0 },
  byOperation: countsOfOperations({ listPets: 3 }),
  bans: 0,
  simulated: 0,
};

const range = {
  resolution: z.enum(resolutions),
  from: timestamp,
  to: timestamp.meta({ description: "When the last point ends, which may be in the future." }),
};
const exampleRange = { resolution: "hour", from: examplePoint.at, to: "2026-12-02T11:00:00.000Z" };

export const UsageSeries = z.strictObject({ ...range, points: z.array(Point).max(MOST_POINTS) }).meta({
  id: "UsageSeries",
  description: "The requests to the public interface, point by point, oldest first.",
  examples: [{ ...exampleRange, points: [examplePoint] }],
});

/** The requests of all clients, a key or a plan in a range. */
const total = { requests: count, byClass, refusals, bans };
const exampleTotal = { requests: 3, byClass: examplePoint.byClass, refusals: 0, bans: 0 };

function totalJson({ requests, byClass, bans }: CountedPoint) {
  return { requests, byClass, refusals: byClass["429"], bans };
}

/** The minutes, hours or days that a query selects. @throws invalid_parameter when the range is empty or too long */
function rangeOf({ to, ...query }: z.output<typeof UsageQuery>, now: number) {
  const found = momentsOf({ ...query, to: to ?? now });
  if ("problem" in found) throw invalidParameters("query", [{ field: "from", problem: found.problem }]);
  return { resolution: query.resolution, moments: found.moments };
}

function rangeJson({ resolution, moments }: ReturnType<typeof rangeOf>) {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  return { resolution, from: timestampOf(first), to: timestampOf(last + lengthOf[resolution]) };
}

/** The counted requests of a key, or of `TOTAL`, at most two seconds old, or ten while thousands of keys are in use. */
async function usageSeries(
  usage: OperatorServices["usage"],
  who: string,
  range: ReturnType<typeof rangeOf>,
): Promise<z.infer<typeof UsageSeries>> {
  const { resolution, moments } = range;
  const points = pointsOf(moments, await usage.usageOf(who, { [resolution]: moments }));
  return { ...rangeJson(range), points: points.map(pointJson) };
}

function pointJson({ at, requests, byClass, byOperation, bans, simulated }: CountedPoint): z.infer<typeof Point> {
  return { at: timestampOf(at), requests, byClass, byOperation: countsOfOperations(byOperation), bans, simulated };
}

const summary = {
  ...total,
  latency,
  points: z
    .array(Point)
    .max(MOST_IN_SUMMARY)
    .meta({ description: "Point by point, oldest first; the last one is not complete." }),
};
const Summary = z.strictObject(summary).meta({ id: "Summary", description: "The requests in a period." });

const exampleSummary = { ...exampleTotal, latency: exampleLatency, points: [examplePoint] };

const Live = z
  .strictObject({
    ...summary,
    seconds: z.number().min(0).meta({ description: "The length of this period until now: 60 to 120 seconds." }),
    total: z.strictObject(total).meta({
      description: "The sum of all periods. The difference of two responses is the number of requests between them.",
    }),
  })
  .meta({ id: "Live", description: "The current minute and the one before it." });

const KeyCounts = counts(["total", ...states])
  .extend({ rehearsing: count.meta({ description: "Those of all states that have a simulation." }) })
  .meta({ id: "KeyCounts", description: "The number of keys by state. A ban counts within a second." });

export const Overview = z
  .strictObject({
    now: timestamp,
    live: Live,
    hour: reference(Summary).meta({ description: "The last 60 minutes." }),
    day: reference(Summary).meta({ description: "The last 24 hours." }),
    month: reference(Summary).meta({ description: "The last 30 days." }),
    keys: KeyCounts,
    pets: reference(Inventory),
    orders: reference(OrderCounts),
  })
  .meta({
    id: "Overview",
    description:
      "The requests, keys, pets and orders of the service; requests are at most two seconds old, or ten while thousands of keys are in use.",
    examples: [
      {
        now: "2026-12-02T10:00:30.250Z",
        live: { ...exampleSummary, seconds: 90.25, total: exampleTotal },
        hour: exampleSummary,
        day: exampleSummary,
        month: exampleSummary,
        keys: { total: 3, active: 2, banned: 1, disabled: 0, expired: 0, revoked: 0, rehearsing: 0 },
        pets: { available: 12, pending: 3, sold: 5 },
        orders: { placed: 2, approved: 1, delivered: 40, cancelled: 3 },
      },
    ],
  });

export const getOverview = operation({
  id: "getOverview",
  route: "GET /overview",
  role: "viewer",
  tag: "usage",
  summary: "Get the overview",
  description:
    "Returns the requests of the current minute and of the last hour, day and month, and the numbers of keys, pets and orders.",
  answers: { 200: { description: "The overview.", schema: Overview } },
  handle: async (services, { context }) => {
    const now = services.clock();
    const [keys, usage, pets, orders] = await Promise.all([
      services.keys.counts(now),
      overview(services.usage, now),
      services.pets.inventory(),
      services.orders.counts(),
    ]);
    const total = Object.values(keys.byState).reduce((sum, count) => sum + count, 0);
    const body: z.infer<typeof Overview> = {
      now: timestampOf(now),
      live: {
        ...summaryJson(usage.live),
        seconds: (now - (usage.live.points[0]?.at ?? now)) / 1000,
        total: totalJson(usage.ever),
      },
      hour: summaryJson(usage.hour),
      day: summaryJson(usage.day),
      month: summaryJson(usage.month),
      keys: { total, ...keys.byState, rehearsing: keys.rehearsing },
      pets,
      orders,
    };
    return json(context, 200, body);
  },
});

function summaryJson({ points, sum, latency }: UsageSummary): z.infer<typeof Summary> {
  return { ...totalJson(sum), latency: latencyJson(latency), points: points.map(pointJson) };
}

export const UsageOfAll = z.strictObject({ ...UsageSeries.shape, latency }).meta({
  id: "UsageOfAll",
  description: "The requests to the public interface, point by point, oldest first, and their latency in all.",
  examples: [{ ...exampleRange, points: [examplePoint], latency: exampleLatency }],
});

export const getUsageOfAll = operation({
  id: "getUsageOfAll",
  route: "GET /usage",
  role: "viewer",
  summary: "Get the total usage",
  description:
    "Returns the requests of all keys and of unauthenticated clients. Minutes are kept for 30 days, hours for 90 and days for 400; a response has at most 1,500 points.",
  request: { query: UsageQuery },
  answers: { 200: { description: "All requests.", schema: UsageOfAll } },
  handle: async ({ usage, clock }, { query, context }) => {
    const selected = rangeOf(query, clock());
    const [series, latency] = await Promise.all([
      usageSeries(usage, TOTAL, selected),
      latencyIn(usage, selected.resolution, selected.moments),
    ]);
    const body: z.infer<typeof UsageOfAll> = { ...series, latency: latencyJson(latency) };
    return json(context, 200, body);
  },
});

const PlanUsage = z
  .strictObject({
    plan: z.enum(countedPlans).meta({ description: "none is for requests without a valid key." }),
    ...total,
    points: z.array(z.strictObject({ at: timestamp, ...total })).max(MOST_POINTS),
  })
  .meta({ id: "PlanUsage", description: "The requests on one plan, in all and point by point, oldest first." });

export const UsageByPlan = z.strictObject({ ...range, plans: z.array(PlanUsage).max(countedPlans.length) }).meta({
  id: "UsageByPlan",
  description: "The requests to the public interface by plan, without simulated ones.",
  examples: [
    { ...exampleRange, plans: [{ plan: "pro", ...exampleTotal, points: [{ at: examplePoint.at, ...exampleTotal }] }] },
  ],
});

export const getUsageByPlan = operation({
  id: "getUsageByPlan",
  route: "GET /usage/plans",
  role: "viewer",
  summary: "Get the usage by plan",
  description:
    "Returns the requests of each plan. A request counts for the plan that its key had then, even if it has another plan now.",
  request: { query: UsageQuery },
  answers: { 200: { description: "All plans, also those without requests.", schema: UsageByPlan } },
  handle: async ({ usage, clock }, { query, context }) => {
    const selected = rangeOf(query, clock());
    const plans = await usageByPlan(usage, selected.resolution, selected.moments);
    const body: z.infer<typeof UsageByPlan> = {
      ...rangeJson(selected),
      plans: plans.map(({ plan, points, sum }) => ({
        plan,
        ...totalJson(sum),
        points: points.map((point) => ({ at: timestampOf(point.at), ...totalJson(point) })),
      })),
    };
    return json(context, 200, body);
  },
});

const TopKeysQuery = UsageQuery.extend({
  sort: z
    .enum(rankings, { error: `must be one of ${rankings.join(", ")}` })
    .default("requests")
    .meta({ description: "What keys are compared by; the largest comes first." }),
  limit: pageLimit(MOST_KEYS, 10),
});

const TopKey = z
  .strictObject({
    keyId: id,
    keyName: text(MAX_NAME_LENGTH),
    owner: KeyOwner.nullable(),
    plan: z.enum(plans).meta({ description: "The present one." }),
    ...total,
  })
  .meta({ id: "TopKey", description: "The requests of a key in a range of time." });

const { id: keyId, name: keyName, owner, plan } = exampleKey;
const exampleTopKey = { keyId, keyName, owner, plan, ...exampleTotal };

export const TopKeys = z.strictObject({ ...range, keys: z.array(TopKey).max(MOST_KEYS) }).meta({
  id: "TopKeys",
  description: "The keys with the most requests, or refusals, in a range of time, without simulated requests.",
  examples: [{ ...exampleRange, keys: [exampleTopKey] }],
});

export const listTopKeys = operation({
  id: "listTopKeys",
  route: "GET /usage/keys",
  role: "viewer",
  summary: "List the busiest keys",
  description:
    "Lists the keys with the most requests in a range, or with the most refusals. Counts are exact. Only keys that are among the hundred busiest of an hour or a day of the range, with one of their operations, are compared.",
  request: { query: TopKeysQuery },
  answers: { 200: { description: "The busiest keys.", schema: TopKeys } },
  handle: async ({ usage, keys, clock }, { query: { sort, limit, ...query }, context }) => {
    const selected = rangeOf(query, clock());
    const top = await topKeys(usage, selected, sort, limit);
    const found = await Promise.all(top.map(async (each) => ({ ...each, stored: await keys.get(each.keyId) })));
    const body: z.infer<typeof TopKeys> = {
      ...rangeJson(selected),
      keys: found.flatMap(({ keyId, sum, stored }) => {
        if (stored === undefined) return [];
        const { name, owner, plan } = stored.key;
        return [{ keyId, keyName: name, owner: ownerJson(owner), plan, ...totalJson(sum) }];
      }),
    };
    return json(context, 200, body);
  },
});

export const getUsageOfKey = operation({
  id: "getUsageOfKey",
  route: "GET /keys/{id}/usage",
  role: "viewer",
  tag: "usage",
  summary: "Get a key's usage",
  description: "Returns the requests of a key by minute, hour or day: at most 1,500 points.",
  request: { params: KeyPath, query: UsageQuery },
  answers: { 200: { description: "The key's requests.", schema: UsageSeries } },
  refusals: ["key_not_found"],
  handle: async ({ keys, usage, clock }, { params, query, context }) => {
    if ((await keys.get(params.id)) === undefined) throw new PetstoreError("key_not_found");
    return json(context, 200, await usageSeries(usage, params.id, rangeOf(query, clock())));
  },
});
