import { z } from "zod";
import { PetstoreError } from "../../../domain/errors.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import { type Point as CountedPoint, pointsOf } from "../../../domain/usage/point.ts";
import { DEFAULT_POINTS, MOST_POINTS, momentsOf } from "../../../domain/usage/range.ts";
import { lengthOf, resolutions } from "../../../domain/usage/resolution.ts";
import { statusClasses } from "../../../domain/usage/tally.ts";
import { countsOf } from "../counts.ts";
import { operationNames } from "../operations/index.ts";
import { time, wholeNumber } from "../parameters.ts";
import { count, timestamp } from "./fields.ts";
import type { Services } from "./operations/operation.ts";

export const UsageQuery = z.object({
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

export const byClass = counts(statusClasses).meta({
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

/** For the document. */
export const examplePoint = {
  at: "2026-12-02T10:00:00.000Z",
  requests: 3,
  byClass: { "2xx": 3, "4xx": 0, "429": 0, "5xx": 0 },
  byOperation: countsOfOperations({ listPets: 3 }),
  bans: 0,
  simulated: 0,
};

/** The range of a response. */
export const range = {
  resolution: z.enum(resolutions),
  from: timestamp,
  to: timestamp.meta({ description: "When the last point ends, which may be in the future." }),
};
export const exampleRange = { resolution: "hour", from: examplePoint.at, to: "2026-12-02T11:00:00.000Z" };

export const UsageSeries = z.strictObject({ ...range, points: z.array(Point) }).meta({
  id: "UsageSeries",
  description: "The requests to the public interface, point by point, oldest first.",
  examples: [{ ...exampleRange, points: [examplePoint] }],
});

/** The requests of all clients, a key or a plan in a range. */
export const total = { requests: count, byClass, refusals, bans };
export const exampleTotal = { requests: 3, byClass: examplePoint.byClass, refusals: 0, bans: 0 };

export function totalJson({ requests, byClass, bans }: CountedPoint) {
  return { requests, byClass, refusals: byClass["429"], bans };
}

/** The minutes, hours or days that a query selects. @throws invalid_parameter when the range is empty or too long */
export function rangeOf({ to, ...query }: z.output<typeof UsageQuery>, now: number) {
  const found = momentsOf({ ...query, to: to ?? now });
  if ("problem" in found) throw invalid(found.problem);
  return { resolution: query.resolution, moments: found.moments };
}

export function rangeJson({ resolution, moments }: ReturnType<typeof rangeOf>) {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  return { resolution, from: timestampOf(first), to: timestampOf(last + lengthOf[resolution]) };
}

/** The counted requests of a key, or of `TOTAL`, at most two seconds old, or ten while thousands of keys are in use. */
export async function usageSeries(
  usage: Services["usage"],
  who: string,
  range: ReturnType<typeof rangeOf>,
): Promise<z.infer<typeof UsageSeries>> {
  const { resolution, moments } = range;
  const points = pointsOf(moments, await usage.usageOf(who, { [resolution]: moments }));
  return { ...rangeJson(range), points: points.map(pointJson) };
}

function invalid(problem: string): PetstoreError {
  const details = [{ in: "query" as const, field: "from", problem }];
  return new PetstoreError("invalid_parameter", { message: `Query parameter from ${problem}.`, details });
}

export function pointJson({
  at,
  requests,
  byClass,
  byOperation,
  bans,
  simulated,
}: CountedPoint): z.infer<typeof Point> {
  return { at: timestampOf(at), requests, byClass, byOperation: countsOfOperations(byOperation), bans, simulated };
}
