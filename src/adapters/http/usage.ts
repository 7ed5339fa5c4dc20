import { z } from "zod";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { LimitStatus, WindowUsage } from "../../domain/limits/limiter.ts";
import { plans } from "../../domain/limits/plans.ts";
import type { Point } from "../../domain/usage/point.ts";
import { operations } from "../../domain/usage/recorder.ts";
import { statusClasses } from "../../domain/usage/tally.ts";
import { type Handler, json } from "./request-context.ts";

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

const Hour = z
  .object({
    at: moment.meta({ description: "When the hour begins." }),
    requests: count,
    byClass: counts(statusClasses).meta({ description: "By the status of their answers; 4xx without 429." }),
    byOperation: counts(operations).meta({ description: "By operation; other is what no operation answers." }),
  })
  .meta({ id: "UsageHour", description: "What the key did in one hour." });

/** What a key is told of its own use. Moments are RFC 3339 in UTC. */
export const Usage = z
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

type Parts = {
  /** What a key did in the 24 hours up to the one that `now` (Unix ms) is in, oldest first. */
  lastDay: (keyId: string, now: number) => Awaitable<Point[]>;
  clock: Clock;
};

/** Answers getUsage, once it is known where its caller stands. */
export function usageHandler({ lastDay, clock }: Parts): Handler {
  return (c) => {
    const { caller, standing } = c.env;
    if (standing === undefined) throw new Error("getUsage was counted as if it were not free");
    return after(lastDay(caller.id, clock()), (hours) => json(c.env, 200, onTheWire(caller, standing, hours)));
  };
}

function onTheWire({ plan }: Key, { minute, day, strikes, ban }: LimitStatus, hours: Point[]): z.input<typeof Usage> {
  return {
    plan,
    minute: windowOnTheWire(minute),
    day: windowOnTheWire(day),
    strikes,
    ban: ban === undefined ? null : { until: isoOf(ban.until * 1000) },
    last24Hours: hours.map(({ at, requests, byClass, byOperation }) => ({
      at: isoOf(at),
      requests,
      byClass,
      byOperation,
    })),
  };
}

function windowOnTheWire({ limit, used, remaining, resetAt }: WindowUsage) {
  return { limit, used, remaining, resetAt: resetAt === undefined ? null : isoOf(resetAt * 1000) };
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}
