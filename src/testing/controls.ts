import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { type HttpRequest, pathOf } from "../adapters/http/request.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { eventTypes } from "../domain/changes.ts";
import { limitsFor } from "../domain/keys/administration.ts";
import { defaultScopes, type Scope, scopes } from "../domain/keys/key.ts";
import { type Limits, MAX_LIMIT, type Plan, plans } from "../domain/limits/limits.ts";
import { MAX_SEED } from "../domain/shop.ts";
import { readSimulation } from "../domain/simulation.ts";
import type { Clock } from "../domain/time.ts";
import { origins } from "../wiring/config-schemas.ts";
import type {
  ClockAdvance,
  EventFilter,
  Instant,
  KeyOptions,
  PetstoreOptions,
  PlannedFailures,
  ReceivedRequest,
  SimulationText,
  TestClock,
} from "./petstore.ts";

const MILLISECONDS: Record<keyof ClockAdvance, number> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

/** A duration in ms. @throws TypeError, which begins with `what`, when a unit is unknown or its number invalid */
function durationOf(duration: ClockAdvance, what: string): number {
  let sum = 0;
  for (const [unit, count] of Object.entries(duration)) {
    if (count === undefined) continue;
    const length = Object.hasOwn(MILLISECONDS, unit) ? MILLISECONDS[unit as keyof ClockAdvance] : undefined;
    if (length === undefined) throw new TypeError(`${what}: there is no unit ${unit}; use seconds, or days.`);
    if (!(count >= 0 && Number.isFinite(count))) throw new TypeError(`${what}: ${unit} must be 0 or more.`);
    sum += count * length;
  }
  return Math.round(sum);
}

/** A clock that runs as another one does, until it is moved or stopped. */
export class MovableClock implements TestClock {
  readonly #source: Clock;
  readonly #start: number | undefined;
  /** What it showed when the source showed `#since`, both in Unix ms. */
  #shown = 0;
  #since = 0;
  #isFrozen = false;

  /** `start`: its time at first, in Unix ms; by default the source's. */
  constructor(source: Clock, start?: number) {
    this.#source = source;
    this.#start = start;
    this.reset();
  }

  /** Its time in Unix ms. */
  readonly read: Clock = () => this.#timeWhen(this.#source());

  now(): Date {
    return new Date(this.read());
  }

  advance(by: ClockAdvance): void {
    if (typeof by !== "object" || by === null)
      throw new TypeError("clock.advance: name a unit, as in { seconds: 60 }.");
    const distance = durationOf(by, "clock.advance");
    const source = this.#source();
    this.#show(this.#timeWhen(source) + distance, source);
  }

  set(to: Instant): void {
    this.#show(unixTime(to, "clock.set: the time"), this.#source());
  }

  freeze(): void {
    const source = this.#source();
    this.#show(this.#timeWhen(source), source);
    this.#isFrozen = true;
  }

  /** Starts it again, as at first. */
  reset(): void {
    const source = this.#source();
    this.#isFrozen = false;
    this.#show(this.#start ?? source, source);
  }

  /** Its time when the source shows `source`. A move reads the source once, or it would lose what passes between. */
  #timeWhen(source: number): number {
    return this.#isFrozen ? this.#shown : this.#shown + source - this.#since;
  }

  /** @throws TypeError when `time` is out of range */
  #show(time: number, source: number): void {
    unixTime(time, "clock: the time");
    this.#shown = time;
    this.#since = source;
  }
}

/** The years whose days, and those after them, RFC 3339 and Unix time can write. */
const MIN_TIME = 0;

const MAX_TIME = Date.UTC(9999, 0) - 1;

const INSTANT_RULE = "must be a Date, a text such as 2030-12-05T00:00:00Z, or Unix milliseconds, from 1970 to 9998";

/** A point in time in Unix ms. @throws TypeError, which begins with `what`, when it is not one */
function unixTime(instant: Instant, what: string): number {
  const time = instant === null ? Number.NaN : new Date(instant).getTime();
  if (time >= MIN_TIME && time <= MAX_TIME) return time;
  throw new TypeError(`${what} ${INSTANT_RULE}.`);
}

/** How long a test waits for an event or a webhook by default, in ms. */
const EVENT_TIMEOUT = 5_000;

/** What a test waits for. `look` is asked at first, and each time that `follow` calls; that returns what ends the calls. */
type Expected<T> = {
  /** What waits, and for what, in the message of the error. */
  what: string;
  filter: EventFilter;
  look: () => Awaitable<T | undefined>;
  follow: (listener: () => Promise<void>) => () => void;
};

/** Resolves with the first that `look` finds. @throws Error when that takes longer than `timeout`, in ms */
export async function firstFound<T>(
  { what, filter, look, follow }: Expected<T>,
  { timeout = EVENT_TIMEOUT }: { readonly timeout?: number | undefined } = {},
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const lookAgain = async () => {
    const found = await look();
    if (found !== undefined) resolve(found);
  };
  const leave = follow(lookAgain);
  const over = new AbortController();
  const late = pause(timeout, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} within ${timeout} ms matches ${JSON.stringify(filter)}.`);
  });
  try {
    return await Promise.race([promise, late, lookAgain().then(() => promise)]);
  } finally {
    leave();
    over.abort();
  }
}

/** Whether an event is one that a test asks for. */
export function matches({ type, subject }: Required<EventFilter>, filter: EventFilter): boolean {
  return (filter.type ?? type) === type && (filter.subject ?? subject) === subject;
}

/** The checked options of a key. `expiresAt` is in Unix ms. */
export type NewKey = { plan: Plan; limits: Limits; scopes: Scope[]; expiresAt: number | undefined };

export type Settings = {
  key: NewKey;
  pets: number;
  seed: number;
  now: number | undefined;
  port: number;
  corsOrigins: string[];
  /** In ms. */
  orderExpiry: number | undefined;
  webhook: z.infer<typeof Webhook> | undefined;
};

const MAX_PETS = 100_000;

const limit = z.int().min(1).max(MAX_LIMIT);

const instant = z.union([z.date(), z.string(), z.number()], { error: INSTANT_RULE });

const key = {
  plan: z.enum(plans).default("business"),
  limits: z.strictObject({ perMinute: limit, perDay: limit }).optional(),
  scopes: z.array(z.enum(scopes)).default([...defaultScopes]),
  expiresAt: instant.optional(),
};

const Key = z.strictObject(key);

/** A receiver has more than the options of an endpoint. */
const Webhook = z.object({
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]+=*$/, { error: "must be base64 with the prefix whsec_" }),
  types: z.array(z.enum(eventTypes)).default([]),
});

const Options = z.strictObject({
  ...key,
  pets: z.int().min(0).max(MAX_PETS).default(20),
  seed: z.int().min(0).max(MAX_SEED).default(1),
  now: instant.optional(),
  port: z.int().min(0).max(65_535).default(0),
  orderExpiry: z.record(z.string(), z.number()).optional(),
  webhook: Webhook.optional(),
  corsOrigins: z
    .array(z.string())
    .default([])
    .transform((list) => list.join(","))
    .pipe(origins),
});

/** @throws TypeError when an option is unknown or invalid */
export function settingsOf(options: PetstoreOptions): Settings {
  const { pets, seed, now, port, corsOrigins, orderExpiry, webhook, ...rest } = parse(
    Options,
    options,
    "startPetstore",
  );
  return {
    pets,
    seed,
    port,
    corsOrigins,
    webhook,
    orderExpiry: orderExpiry && durationOf(orderExpiry, "startPetstore: orderExpiry"),
    now: now === undefined ? undefined : unixTime(now, "startPetstore: now"),
    key: keyOf(rest, "startPetstore"),
  };
}

/** @throws TypeError when an option is unknown or invalid */
export function newKeyOf(options: KeyOptions): NewKey {
  return keyOf(parse(Key, options, "createKey"), "createKey");
}

function keyOf({ plan, limits, scopes, expiresAt }: z.infer<typeof Key>, caller: string): NewKey {
  if ((plan === "enterprise") !== (limits !== undefined)) {
    throw new TypeError(`${caller}: limits are for the plan enterprise, which requires them.`);
  }
  return {
    plan,
    scopes,
    limits: limitsFor(plan, limits),
    expiresAt: expiresAt === undefined ? undefined : unixTime(expiresAt, `${caller}: expiresAt`),
  };
}

/** Parses what a test passes. @throws TypeError that begins with the name of the function that was called */
export function parse<T extends z.ZodType>(schema: T, value: unknown, caller: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  throw new TypeError(`${caller}: ${problems.join("; ")}.`);
}

/** Simulations for the next requests, in order. */
export class FailureQueue implements PlannedFailures {
  #planned: { simulation: string; times: number }[] = [];

  next(simulation: SimulationText, { times = 1 }: { times?: number | undefined } = {}): void {
    const read = readSimulation(String(simulation));
    if ("problem" in read) throw new TypeError(`fail.next: the simulation ${read.problem}.`);
    if (!Number.isSafeInteger(times) || times < 1) throw new TypeError("fail.next: times must be a positive integer.");
    this.#planned.push({ simulation, times });
  }

  get pending(): number {
    return this.#planned.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.#planned = [];
  }

  /** Removes the simulation of one request, and returns it; undefined if none is planned. */
  take(): string | undefined {
    const [first] = this.#planned;
    if (first === undefined) return undefined;
    first.times -= 1;
    if (first.times === 0) this.#planned.shift();
    return first.simulation;
  }
}

/** How many are kept, so that a pet store that runs for long does not fill the memory. */
const MOST = 10_000;

const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

const REDACTED = "[redacted]";

const BEARER = /^Bearer +/i;

/** A request that is being answered. */
type Entry = { -readonly [Property in keyof ReceivedRequest]: ReceivedRequest[Property] };

/** Returns the id of a key of this pet store, by its text. */
type KeyIdOf = (key: string) => string | undefined;

/** Records what arrives: the last requests. */
export class ReceivedRequests {
  readonly #clock: Clock;
  readonly #keyIdOf: KeyIdOf;
  #entries: Entry[] = [];

  constructor(clock: Clock, keyIdOf: KeyIdOf) {
    this.#clock = clock;
    this.#keyIdOf = keyIdOf;
  }

  get all(): readonly ReceivedRequest[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
  }

  /** Adds a request. Its answer is added to what it returns. */
  add(request: HttpRequest, planned: string | undefined): Entry {
    const query = request.url.indexOf("?");
    const keyId = this.#keyIdOf((request.headers.get("Authorization") ?? "").replace(BEARER, ""));
    const headers = Object.fromEntries(
      [...request.headers].map(([name, value]) => [name, isSecret(name, keyId) ? REDACTED : value]),
    );
    const entry: Entry = {
      at: new Date(this.#clock()),
      method: request.method,
      path: pathOf(request.url),
      query: query === -1 ? "" : request.url.slice(query + 1),
      headers,
      body: textOf(request.body),
      keyId,
      planned,
      status: undefined,
    };
    this.#entries.push(entry);
    if (this.#entries.length > MOST) this.#entries.shift();
    return entry;
  }
}

function isSecret(name: string, keyId: string | undefined): boolean {
  return CREDENTIALS.includes(name) && !(name === "authorization" && keyId !== undefined);
}

function textOf(body: HttpRequest["body"]): string | undefined {
  return body instanceof Uint8Array && body.length > 0 ? new TextDecoder().decode(body) : undefined;
}
