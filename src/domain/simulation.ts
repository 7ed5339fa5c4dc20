import { z } from "zod";
import { invalidField, invalidParameters, type PublicErrorCode, publicErrors } from "./errors.ts";
import {
  current,
  DAY,
  type Decision,
  decisionOf,
  type Limits,
  MINUTE,
  nextBan,
  type Quotas,
  type Window,
  type WindowQuota,
} from "./limits/limits.ts";

/**
 * What a request on staging rehearses, instead of or in addition to its own effect; empty for nothing.
 * Source: docs/rehearsal.md.
 */
export type Simulation = {
  /** The error to answer with. The request does nothing. */
  code?: PublicErrorCode;
  /** How long the request waits before anything else happens, in ms. */
  delay?: number;
  /** Where the connection is cut: before anything was done, or after the work and before its answer. */
  cut?: Cut;
  /** The time (Unix ms) by which the request is judged, except in its windows. */
  now?: number;
};

const cuts = ["disconnect", "lost-answer"] as const;

type Cut = (typeof cuts)[number];

/** The request header that describes a simulation. */
export const SIMULATE = "Petstore-Simulate";

/** The longest delay, in ms. */
export const MAX_DELAY = 30_000;

/** The elements of a simulation, with what messages call them. */
const elements = [
  ["code", "error code"],
  ["delay", "delay"],
  ["cut", `of ${cuts.join(" and ")}`],
  ["now", "now"],
] as const;

const DIGITS = /^(?:0|[1-9]\d{0,4})$/;

const time = z.iso.datetime({ offset: true });

/** The first and last moment that RFC 3339 can write in UTC, in Unix ms. */
const MIN_TIME = Date.parse("0000-01-01T00:00:00Z");

const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Reads the value of the header Petstore-Simulate. @throws invalid_parameter, saying what is wrong with it */
export function parseSimulation(text: string): Simulation {
  const read = readSimulation(text);
  if (!("problem" in read)) return read;
  throw invalidParameters("header", [{ field: SIMULATE, problem: read.problem }]);
}

/** Returns the simulation that a text describes, or what is wrong with the text. */
export function readSimulation(text: string): Simulation | { problem: string } {
  const simulation: Simulation = {};
  for (const part of text.split(",").map((one) => one.trim())) {
    const read = partOf(part);
    if ("problem" in read) return read;
    const repeated = elements.find(([name]) => name in read && name in simulation);
    if (repeated !== undefined) return { problem: `must have at most one ${repeated[1]}` };
    Object.assign(simulation, read);
  }
  const problem = contradictionIn(simulation);
  return problem === undefined ? simulation : { problem };
}

function partOf(part: string): Simulation | { problem: string } {
  if (isCode(part)) return { code: part };
  const cut = cuts.find((one) => one === part);
  if (cut !== undefined) return { cut };
  const [, name, value = ""] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
  if (name === "delay") return delayOf(value);
  if (name === "now") return timeOf(value);
  return { problem: `must be an error code, delay=<ms>, ${cuts.join(", ")} or now=<time>` };
}

function isCode(text: string): text is PublicErrorCode {
  return Object.hasOwn(publicErrors, text);
}

function delayOf(value: string): Simulation | { problem: string } {
  if (DIGITS.test(value) && Number(value) <= MAX_DELAY) return { delay: Number(value) };
  return { problem: `must have a delay from 0 to ${MAX_DELAY} ms, such as delay=2000` };
}

function timeOf(value: string): Simulation | { problem: string } {
  const now = time.safeParse(value).success ? Date.parse(value) : Number.NaN;
  if (now >= MIN_TIME && now <= MAX_TIME) return { now };
  return { problem: "must have a time such as now=2030-12-05T00:00:00Z" };
}

/** What cannot go together: an error code and a cut before the work leave nothing for the others to change. */
function contradictionIn({ code, cut, now }: Simulation): string | undefined {
  if (code !== undefined && cut !== undefined) return `must not combine ${code} with ${cut}`;
  if (code !== undefined && now !== undefined) return `must not combine ${code} with now`;
  if (cut === "disconnect" && now !== undefined) return `must not combine ${cut} with now`;
  return undefined;
}

/** The text of a simulation in its normal form: `delay=2000, rate_limit_exceeded`. */
export function simulationText({ now, delay, code, cut }: Simulation): string {
  const parts = [
    now === undefined ? undefined : `now=${new Date(now).toISOString()}`,
    delay === undefined ? undefined : `delay=${delay}`,
    code,
    cut,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** Returns the normal form of an answer. @throws validation_failed unless it is a value of Petstore-Simulate */
export function answerOf(text: string): string {
  const simulation = readSimulation(text);
  if ("problem" in simulation) throw invalidField("answer", simulation.problem);
  return simulationText(simulation);
}

type Refusal = "rate_limit_exceeded" | "quota_exceeded" | "key_banned";

/**
 * Returns the decision that refuses a request which found these quotas: with the minute or the day used up, or as the first
 * ban of the key.
 */
export function limitedAs(outcome: Refusal, { now, windows }: Quotas, limits: Limits): Decision {
  const [byMinute, byDay] = ["minute", "day"].map((name) => windows.find((window) => window.name === name));
  const minute = windowOf(byMinute, MINUTE, now);
  const day = windowOf(byDay, DAY, now);
  if (outcome === "rate_limit_exceeded") minute.count = limits.perMinute;
  if (outcome === "quota_exceeded") day.count = limits.perDay;
  const ban = outcome === "key_banned" ? { until: nextBan(undefined, now).until, begins: false } : undefined;
  return decisionOf(outcome, { minute, day }, limits, now, ban);
}

function windowOf(quota: WindowQuota | undefined, seconds: number, now: number): Window {
  if (quota === undefined) return current(undefined, seconds, now);
  return { count: quota.limit - quota.remaining, resetAt: quota.resetAt };
}
