import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { KeyStore } from "../../../domain/keys/store.ts";
import { type Point, pointsOf } from "../../../domain/usage/point.ts";
import { lengthOf, type Resolution, resolutions, startOf } from "../../../domain/usage/resolution.ts";
import { TOTAL } from "../../../domain/usage/roll-up.ts";
import type { UsageStore } from "../../../domain/usage/store.ts";
import { countsOf } from "../counts.ts";
import { operationNames } from "../operations/index.ts";
import { moment, readQuery } from "../parameters.ts";
import { answer, type Call, type Handler, idOf, momentOf } from "./request-context.ts";
import type { Point as PointSchema } from "./schemas.ts";

type Parts = { keys: KeyStore; usage: UsageStore; clock: Clock };

/** How many points are told of at most: a day of minutes, two months of hours, all days that are kept. */
const MOST_POINTS = 1_500;
/** How many there are where no beginning is given. */
const usual: Record<Resolution, number> = { minute: 60, hour: 24, day: 30 };

export const UsageQuery = z.object({
  resolution: z.enum(resolutions, { error: `must be one of ${resolutions.join(", ")}` }).default("hour"),
  from: moment.optional().meta({
    description: `Left out: ${usual.minute} minutes, ${usual.hour} hours or ${usual.day} days are told of.`,
  }),
  to: moment.optional().meta({ description: "Left out: now. The minute, hour or day that it is in is told of, too." }),
});

/** What was asked of the interface: by one key, and by all keys and strangers together. At most two seconds old. */
export function usageHandlers({ keys, usage, clock }: Parts) {
  const everybody: Handler = (c) => tell(c, TOTAL);

  const ofKey: Handler = async (c) => {
    const id = idOf(c);
    if ((await keys.get(id)) === undefined) throw new PetstoreError("key_not_found");
    return tell(c, id);
  };

  async function tell({ env }: Call, who: string): Promise<Response> {
    const { resolution, from, to } = readQuery(UsageQuery, env.request.url);
    const moments = momentsOf(resolution, from, to ?? clock());
    const points = pointsOf(moments, await usage.usageOf(who, resolution, moments));
    const end = (moments.at(-1) ?? 0) + lengthOf[resolution];
    const range = { from: momentOf(moments[0]), to: momentOf(end) };
    return answer(env, 200, { resolution, ...range, points: points.map(pointOnTheWire) });
  }

  return { everybody, ofKey };
}

/** The beginnings of all stretches from the one that `from` is in to the one that `to` is in. @throws invalid_parameter */
function momentsOf(resolution: Resolution, from: number | undefined, to: number): number[] {
  const length = lengthOf[resolution];
  const last = startOf(resolution, to);
  const first = from === undefined ? last - (usual[resolution] - 1) * length : startOf(resolution, from);
  const count = (last - first) / length + 1;
  if (count < 1) throw invalid("must not be later than to");
  if (count > MOST_POINTS) throw invalid(`must be so late that there are at most ${MOST_POINTS} points`);
  return Array.from({ length: count }, (_, i) => first + i * length);
}

function invalid(problem: string): PetstoreError {
  const details = [{ in: "query" as const, field: "from", problem }];
  return new PetstoreError("invalid_parameter", { message: `Query parameter from ${problem}.`, details });
}

export function pointOnTheWire({ at, requests, byClass, byOperation, bans }: Point): z.infer<typeof PointSchema> {
  return { at: momentOf(at), requests, byClass, byOperation: countsOf(operationNames, byOperation), bans };
}
