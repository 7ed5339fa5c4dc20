import { z } from "zod";
import { actions } from "../../../domain/audit/entry.ts";
import { type Scope, scopes } from "../../../domain/keys/key.ts";
import { isName, NAME_RULE } from "../../../domain/keys/name.ts";
import { states } from "../../../domain/keys/state.ts";
import { LARGEST_LIMIT, plans } from "../../../domain/limits/plans.ts";
import { roles } from "../../../domain/operators/operator.ts";
import { Pet } from "../../../domain/pets/pet.ts";
import { resolutions } from "../../../domain/usage/resolution.ts";
import { statusClasses } from "../../../domain/usage/tally.ts";
import { operationNames } from "../operations/index.ts";

/** A moment on the wire: RFC 3339, in UTC, to the millisecond. */
const moment = z.string().meta({ format: "date-time", examples: ["2026-12-02T10:00:00.250Z"] });
const count = z.int().min(0).meta({ type: "integer", minimum: 0 });

const required = (problem: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : problem;

const name = z
  .string({ error: required("must be a string") })
  .refine(isName, { error: NAME_RULE })
  .meta({ minLength: 1, maxLength: 100, examples: ["My app"] });
const plan = z.enum(plans, { error: required(`must be one of ${plans.join(", ")}`) });

/** An integer in a body: json/parse gives a bigint for each. */
const integer = (min: number, max: number) => {
  const error = required(`must be an integer from ${min} to ${max}`);
  return z
    .bigint({ error })
    .min(BigInt(min), { error })
    .max(BigInt(max), { error })
    .transform(Number)
    .meta({ type: "integer", minimum: min, maximum: max });
};

/** A moment in a body, in Unix milliseconds from then on. */
const givenMoment = z.iso
  .datetime({ offset: true, error: "must be a moment such as 2027-01-31T12:00:00Z" })
  .transform((text) => Date.parse(text))
  .meta({ type: "string", format: "date-time" });

const limits = z.object(
  { perMinute: integer(1, LARGEST_LIMIT), perDay: integer(1, LARGEST_LIMIT) },
  { error: "must be an object with perMinute and perDay" },
);

const object = { error: "must be a JSON object" };

export const SignIn = z
  .object(
    { token: z.string({ error: required("must be a string") }).meta({ description: "An operator's token." }) },
    object,
  )
  .meta({ id: "SignIn", description: "What begins a session." });

export const NewKey = z
  .object(
    {
      name,
      plan,
      limits: limits.optional().meta({ description: "Own limits: needed by enterprise, refused for the other plans." }),
      scopes: z
        .array(z.enum(scopes, { error: `must be one of ${scopes.join(", ")}` }), { error: "must be an array" })
        .min(1, { error: "must not be empty" })
        .default((): Scope[] => [...scopes]),
      expiresAt: givenMoment.optional(),
    },
    object,
  )
  .meta({ id: "NewKey", description: "A key to be made. Without `expiresAt` it never expires." });

export const KeyChange = z
  .object(
    {
      name: name.optional(),
      plan: plan.optional(),
      limits: limits.optional(),
      expiresAt: givenMoment.nullable().optional(),
    },
    object,
  )
  .meta({
    id: "KeyChange",
    description: "What is to be different of a key. What is not named stays; `expiresAt: null` has it never expire.",
  });

/** The longest grace of a rotated secret, in seconds: a year. */
const LONGEST_GRACE = 366 * 86_400;
export const Rotation = z
  .object({ graceSeconds: integer(0, LONGEST_GRACE).default(86_400) }, object)
  .meta({ id: "Rotation", description: "For how long the key's present secrets work on." });

export const NewOperator = z
  .object({ name, role: z.enum(roles, { error: required(`must be one of ${roles.join(", ")}`) }) }, object)
  .meta({ id: "NewOperator", description: "An operator to be made." });

const Window = z
  .strictObject({
    limit: count,
    used: count,
    remaining: count,
    resetAt: moment
      .nullable()
      .meta({ description: "When it ends; null while it is not open: the next request opens it." }),
  })
  .meta({ id: "Window", description: "What a key used of one of its limits." });

export const Key = z
  .strictObject({
    id: z.string().meta({ examples: ["key_4kTn0aWq7JbYcX2z"] }),
    name: z.string(),
    plan: z.enum(plans),
    limits: z.strictObject({ perMinute: count, perDay: count }),
    scopes: z.array(z.enum(scopes)),
    createdAt: moment,
    expiresAt: moment.nullable(),
    revokedAt: moment.nullable(),
    lastUsedAt: moment.nullable().meta({ description: "Accurate to a minute." }),
    lastFour: z.string().meta({ description: "The last four characters of its newest secret." }),
    state: z.enum(states),
    usage: z
      .strictObject({
        minute: Window,
        day: Window,
        strikes: count.meta({ description: "Refused requests that count towards a ban." }),
        bannedUntil: moment.nullable(),
      })
      .nullable()
      .meta({ description: "Null while it cannot be had: Redis is away. `state` then knows nothing of bans." }),
  })
  .meta({ id: "Key", description: "An API key, without its secrets." });

export const Keys = z
  .strictObject({
    keys: z.array(Key),
    next: z.string().nullable().meta({ description: "The `after` of the next page; null on the last one." }),
    total: count.meta({ description: "How many keys match, on all pages." }),
  })
  .meta({ id: "Keys", description: "A page of keys, newest first." });

export const IssuedKey = z
  .strictObject({ key: Key, secret: z.string().meta({ description: "It is shown only now." }) })
  .meta({ id: "IssuedKey", description: "A key with the secret that was made just now." });

export const Operator = z
  .strictObject({
    id: z.string().meta({ examples: ["op_4kTn0aWq7JbYcX2z"] }),
    name: z.string(),
    role: z.enum(roles),
    createdAt: moment,
    revokedAt: moment.nullable(),
  })
  .meta({ id: "Operator", description: "One who runs the service: a viewer looks, an admin changes." });

export const Operators = z.strictObject({ operators: z.array(Operator) }).meta({ id: "Operators" });

export const IssuedOperator = z
  .strictObject({ operator: Operator, token: z.string().meta({ description: "It is shown only now." }) })
  .meta({ id: "AppointedOperator", description: "An operator with its token." });

export const Session = z
  .strictObject({
    operator: Operator,
    expiresAt: moment.nullable().meta({ description: "When the session is over; null when a token was sent instead." }),
  })
  .meta({ id: "Session", description: "Who is signed in." });

const AuditEntry = z
  .strictObject({
    id: count,
    at: moment,
    operator: z.strictObject({ id: z.string().optional(), name: z.string() }).meta({
      description: "Without `id` where it was no operator: `command line (user)`, or `first start`.",
    }),
    action: z.enum(actions),
    target: z.string().nullable().meta({ description: "The id of what was changed, where that has one." }),
    before: z.unknown().meta({ description: "What was changed, as it was before: null for what was made." }),
    after: z.unknown().meta({ description: "As it is after." }),
    requestId: z.string().nullable(),
  })
  .meta({ id: "AuditEntry", description: "A change that somebody made." });

export const AuditEntries = z
  .strictObject({
    entries: z.array(AuditEntry),
    next: z
      .int()
      .nullable()
      .meta({ type: ["integer", "null"], description: "The `before` of the next page." }),
  })
  .meta({ id: "AuditEntries", description: "Changes, newest first." });

export const PetPage = z
  .strictObject({
    pets: z.array(Pet),
    next: z
      .int()
      .nullable()
      .meta({ type: ["integer", "null"], description: "The `after` of the next page." }),
  })
  .meta({ id: "PetPage", description: "A page of the catalogue, by id." });

const counts = <const Name extends string>(names: readonly Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>);
const byClass = counts(statusClasses).meta({ description: "By the status of their answers; 4xx is without 429." });
const bans = count.meta({ description: "Bans that began." });

export const Point = z
  .strictObject({
    at: moment.meta({ description: "When the minute, hour or day begins, in UTC." }),
    requests: count,
    byClass,
    byOperation: counts(operationNames).meta({ description: "By operation; other is what no operation answers." }),
    bans,
  })
  .meta({ id: "Point", description: "What was asked of the interface in one minute, hour or day." });

export const UsageSeries = z
  .strictObject({
    resolution: z.enum(resolutions),
    from: moment,
    to: moment.meta({ description: "The end of the last point, which may be yet to come." }),
    points: z.array(Point),
  })
  .meta({ id: "UsageSeries", description: "What was asked of the interface, point by point, oldest first." });

const milliseconds = z.number().min(0).nullable();
const refusals = count.meta({ description: "Answers with 429." });
const summary = {
  requests: count,
  byClass,
  refusals,
  bans,
  latency: z.strictObject({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).meta({
    description: "In how many ms half, 95 % and 99 % of the requests were answered; null where there were none.",
  }),
  points: z.array(Point).meta({ description: "Point by point, oldest first; the last one is under way." }),
};
export const Summary = z.strictObject(summary).meta({ id: "Summary", description: "What was asked in some time." });
const Live = z
  .strictObject({
    ...summary,
    seconds: z.number().min(0).meta({ description: "How long it is until now that this tells of: 60 to 120." }),
    total: z.strictObject({ requests: count, byClass, refusals, bans }).meta({
      description: "What was counted in all: the difference of two answers is what came in between.",
    }),
  })
  .meta({ id: "Live", description: "The minute that is under way and the one before it." });

export const KeyCounts = z
  .strictObject({ total: count, active: count, banned: count, expired: count, revoked: count })
  .meta({ id: "KeyCounts", description: "How many keys there are, by state." });

export const Overview = z
  .strictObject({
    now: moment,
    live: Live,
    hour: Summary.meta({ description: "The last 60 minutes." }),
    day: Summary.meta({ description: "The last 24 hours." }),
    month: Summary.meta({ description: "The last 30 days." }),
    keys: KeyCounts,
  })
  .meta({ id: "Overview", description: "How the service is doing. At most two seconds old." });

const Caller = z
  .strictObject({
    keyId: z.string(),
    keyName: z.string(),
    calls: count,
    lastCalledAt: moment,
    userAgent: z.string().nullable().meta({ description: "The User-Agent of the last call, if it had one." }),
  })
  .meta({ id: "Caller", description: "A key that calls an operation which will be removed." });

export const Deprecations = z
  .strictObject({
    operations: z.array(
      z.strictObject({
        operation: z.string(),
        deprecatedAt: moment,
        removedAt: moment,
        daysLeft: count,
        replacement: z.string(),
        callers: z.array(Caller).meta({ description: "Who called last comes first." }),
      }),
    ),
  })
  .meta({ id: "Deprecations", description: "What will be removed, and who still calls it." });

const health = {
  ok: z.boolean(),
  latencyMs: z.number().nullable().meta({ description: "How long it took to answer; null when it did not." }),
};

export const State = z
  .strictObject({
    version: z.string(),
    deployment: z.enum(["production", "staging"]),
    baseUrls: z.strictObject({ production: z.string(), staging: z.string() }),
    publicUrl: z.string().meta({ description: "What clients call this deployment." }),
    runtime: z.string().meta({ examples: ["Bun 1.4.5"] }),
    startedAt: moment,
    uptimeSeconds: count,
    nodes: count.meta({ description: "How many nodes there are, as PETSTORE_NODES says." }),
    database: z.strictObject({ engine: z.enum(["sqlite", "postgres"]), ...health }),
    redis: z.strictObject({ configured: z.boolean(), ...health }),
  })
  .meta({ id: "State", description: "How the service is." });
export type State = z.infer<typeof State>;
