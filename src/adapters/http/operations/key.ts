import { z } from "zod";
import { KeyAdministration, MAX_ROTATIONS } from "../../../domain/keys/administration.ts";
import { MAX_NAME_LENGTH, scopes } from "../../../domain/keys/key.ts";
import { DEFAULT_GRACE } from "../../../domain/keys/secret.ts";
import { type KeyWithSecrets, keyJson } from "../../../domain/keys/store.ts";
import { isPastRequestId, MAX_KEPT_TEXT, MAX_PATH_LENGTH, ownRequestJson } from "../../../domain/requests.ts";
import { reference } from "../../../domain/schemas.ts";
import { timestampOf } from "../../../domain/time.ts";
import { lastOf } from "../../../domain/usage/counting.ts";
import { pointsOf } from "../../../domain/usage/reading.ts";
import { refuseRotation, secretIn } from "../checks.ts";
import { ofOwnRequests } from "../openapi-headers.ts";
import { type AdmittedContext, operation, type Services } from "../operation.ts";
import {
  IdempotentRequest,
  idempotencyKeyOf,
  integer,
  JSON_OBJECT,
  ofReplay,
  pageLimit,
  requestId,
  secret,
  text,
  timestamp,
} from "../parameters.ts";
import { json } from "../request.ts";
import { etagOf, tagOfText } from "../responses.ts";
import type { Description } from "../routes.ts";
import { Ban, count, PlanName, RequestsByClass, time } from "./usage.ts";

const DAYS = 30;

const OwnKey = z
  .object({
    id: text(100).meta({ description: "It stays when the key is rotated." }),
    name: text(MAX_NAME_LENGTH).meta({ description: "The label that the operator gave it." }),
    plan: reference(PlanName),
    limits: z
      .object({ perMinute: count, perDay: count })
      .meta({ id: "KeyLimits", description: "How many requests it may send per minute and per day." }),
    scopes: z
      .array(z.enum(scopes).meta({ id: "Scope", description: "What a key may do." }))
      .max(scopes.length)
      .meta({ description: "What it may do." }),
    createdAt: time,
    expiresAt: time.nullable().meta({ description: "When it expires, or null." }),
    lastUsedAt: time.nullable().meta({ description: "Accurate to a minute." }),
    lastFour: text(4).meta({ description: "The last four characters of its newest secret." }),
    earlierSecrets: z
      .array(
        z
          .object({ lastFour: text(4), expiresAt: time.meta({ description: "When its grace period ends." }) })
          .meta({ id: "EarlierSecret", description: "A secret before the last rotation, which still works." }),
      )
      .meta({ description: "Its earlier secrets that still work." }),
    ban: reference(Ban).nullable().meta({ description: "The current ban, or null." }),
    deprecatedCalls: z
      .array(
        z
          .object({
            operation: z.string(),
            calls: count.meta({ description: "How often the key has called it." }),
            lastCalledAt: time,
            removedAt: time.meta({ description: "When the operation is removed." }),
            replacement: z.string().meta({ description: "What to call instead." }),
          })
          .meta({ id: "DeprecatedCalls", description: "The key's calls of a deprecated operation." }),
      )
      .meta({ description: "The deprecated operations that it calls, until they are removed." }),
    last30Days: z
      .array(
        z
          .object({
            at: time.meta({ description: "When the day begins." }),
            requests: count.meta({ description: "All requests on this day, except simulated ones." }),
            byClass: reference(RequestsByClass),
          })
          .meta({ id: "UsageDay", description: "The key's requests on one day." }),
      )
      .max(DAYS)
      .meta({ description: "Today and the 29 days before it, oldest first, in UTC." }),
  })
  .meta({ id: "OwnKey", description: "An API key, as its holder sees it: without its secrets." });

const exampleKey: z.infer<typeof OwnKey> = {
  id: "key_4kTn0aWq7JbYcX2z",
  name: "My app",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: ["pets:read", "key:rotate"],
  createdAt: "2026-12-02T09:00:00.250Z",
  expiresAt: "2030-12-02T10:00:00.000Z",
  lastUsedAt: "2026-12-02T10:00:00.250Z",
  lastFour: "c0kH",
  earlierSecrets: [{ lastFour: "9aQz", expiresAt: "2026-12-03T09:30:00.250Z" }],
  ban: { until: "2026-12-02T10:05:30.000Z" },
  deprecatedCalls: [
    {
      operation: "getPet",
      calls: 12,
      lastCalledAt: "2026-12-02T10:00:00.250Z",
      removedAt: "2030-12-05T00:00:00.000Z",
      replacement: "GET /v1/pets?ids={petId}",
    },
  ],
  last30Days: [
    { at: "2026-12-02T00:00:00.000Z", requests: 162, byClass: { "2xx": 60, "4xx": 1, "429": 101, "5xx": 0 } },
  ],
};

const FREE = "It is free, as `GET /usage` is: all of these operations together may be sent 60 times per minute.";

/** A key for its holder: without what operators write about it. */
async function ownKeyJson(
  found: KeyWithSecrets,
  { key: { id }, limitStatus }: AdmittedContext,
  { usage, counters, clock }: Services,
  deprecated: readonly Description[],
): Promise<z.infer<typeof OwnKey>> {
  const now = clock();
  const days = lastOf("day", DAYS, now);
  const [calls, rows] = await Promise.all([counters.deprecatedCallsOf(id), usage.usageOf(id, { day: days })]);
  const { name, plan, limits, scopes, createdAt, expiresAt, lastUsedAt, lastFour, earlierSecrets } = keyJson(
    { ...found, limitStatus },
    now,
  );
  const ban = limitStatus?.ban;
  return {
    ...{ id, name, plan, limits, scopes, createdAt, expiresAt, lastUsedAt, lastFour, earlierSecrets },
    ban: ban === undefined ? null : { until: timestampOf(ban.until * 1000) },
    deprecatedCalls: deprecated.flatMap(({ id: operation, deprecated: its }) => {
      const made = calls.get(operation);
      if (made === undefined || its === undefined || now >= its.removedAt) return [];
      const { removedAt, replacement } = its;
      const lastCalledAt = timestampOf(made.lastCalledAt);
      return [{ operation, calls: made.calls, lastCalledAt, removedAt: timestampOf(removedAt), replacement }];
    }),
    last30Days: pointsOf(days, rows).map(({ at, requests, byClass }) => ({ at: timestampOf(at), requests, byClass })),
  };
}

/** GET /key. Source: docs/your-key.md. */
const getOwnKeyOf = (deprecated: readonly Description[]) =>
  operation({
    id: "getOwnKey",
    route: "GET /key",
    isFree: true,
    summary: "Read your key",
    description: `Returns the key of the request: its plan, limits, scopes, dates, ban, the deprecated operations that it calls, and its requests by day. ${FREE} It works when no requests remain and during a ban, and needs no scope.`,
    answers: { 200: { description: "The key.", schema: OwnKey, example: exampleKey } },
    read: (services) => async (input) => {
      const { context } = input;
      const found = await ofRequest(context, services);
      const body = JSON.stringify(await ownKeyJson(found, context, services, deprecated));
      return { body, etag: etagOf(tagOfText(body)) };
    },
  });

async function ofRequest({ key: { id } }: AdmittedContext, { keys }: Services): Promise<KeyWithSecrets> {
  const found = await keys.get(id);
  if (found === undefined) throw new Error("the key of the request is not in the store");
  return found;
}

/** A place in the request history. */
export const MAX_CURSOR_LENGTH = 100;
export const pastRequestId = z
  .string()
  .refine(isPastRequestId, { error: "must be the id of a request of the page before" })
  .optional();

const WindowLeft = z
  .object({ limit: count, remaining: count })
  .meta({ id: "WindowLeft", description: "What a request left of a window." });

export const OwnRequest = z
  .object({
    id: text(MAX_CURSOR_LENGTH).meta({ description: "Where it is in the history." }),
    requestId: requestId.meta({ description: "The `X-Request-Id` of its response. A client may send one again." }),
    at: timestamp.meta({ description: "The time of its response." }),
    operation: text(MAX_KEPT_TEXT).meta({ description: "The id of its operation; `other` if it matched none." }),
    method: text(MAX_KEPT_TEXT),
    path: text(MAX_PATH_LENGTH).meta({ description: "Without the query. A long one is cut." }),
    status: z.int().meta({ type: "integer", minimum: 100, maximum: 599 }),
    error: z
      .strictObject({ code: text(MAX_KEPT_TEXT), message: z.string() })
      .nullable()
      .meta({ description: "The code of its error response, and what the code means." }),
    duration: z.number().min(0).meta({ description: "From its arrival until its response, in ms." }),
    simulated: text(MAX_KEPT_TEXT)
      .nullable()
      .meta({ description: "What it simulated, as `Petstore-Simulated` says it." }),
    limits: z
      .strictObject({ minute: reference(WindowLeft), day: reference(WindowLeft).nullable() })
      .nullable()
      .meta({ description: "What it left of the limits of its key, or of its address without a valid key." }),
  })
  .meta({ id: "OwnRequest", description: "A request with your key, without query, headers, bodies and address." });

export const exampleRequest: z.infer<typeof OwnRequest> = {
  id: "1796205600250_1796205590000-3f9a1c22-1_40",
  requestId: "fbd34c95-98f9-491d-b18b-464e794901db",
  at: "2026-12-02T10:00:00.250Z",
  operation: "getPet",
  method: "GET",
  path: "/v1/pets/7",
  status: 404,
  error: { code: "pet_not_found", message: "There is no pet with this id." },
  duration: 0.412,
  simulated: "delay=2000",
  limits: { minute: { limit: 60, remaining: 59 }, day: { limit: 1000, remaining: 999 } },
};

const MAX_PAGE = 100;

const Outcome = z
  .enum(["refused"], { error: "must be refused" })
  .meta({ id: "RequestOutcome", description: "What a list of requests is reduced to." });

const OwnRequestsQuery = z.object({
  limit: pageLimit(MAX_PAGE, 20),
  before: pastRequestId.meta({
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    description: "Only requests before the one with this `id`: the last one of the previous page.",
    examples: [exampleRequest.id],
  }),
  status: reference(Outcome)
    .optional()
    .meta({ param: { description: "`refused`: only requests whose response was an error (4xx and 5xx)." } }),
});

/** GET /key/requests. Source: docs/your-key.md. */
const listOwnRequests = operation({
  id: "listOwnRequests",
  route: "GET /key/requests",
  isFree: true,
  summary: "List your key's requests",
  description: `Returns the last requests with your key that the service keeps, the newest first, each with the code of its error and what the code means. ${FREE} It works when no requests remain and during a ban, and needs no scope.`,
  request: { query: OwnRequestsQuery },
  answers: {
    200: {
      description: "A page of requests, possibly empty.",
      schema: z.array(OwnRequest).max(MAX_PAGE).meta({ id: "OwnRequests", description: "Requests, newest first." }),
      example: [exampleRequest],
      headers: ofOwnRequests,
    },
  },
  read:
    ({ pastRequests, baseUrl }) =>
    async ({ query: { limit, before, status }, context }) => {
      const filter = { keyIds: [context.key.id], ...(status && { status: ["4xx", "5xx"] }) };
      const found = await pastRequests.search({ ...filter, before, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const last = found.length > shown.length ? shown.at(-1)?.id : undefined;
      const body = JSON.stringify(shown.map(ownRequestJson));
      const next = last && `<${baseUrl}/key/requests?limit=${limit}${status ? "&status=refused" : ""}&before=${last}>`;
      return { body, etag: etagOf(tagOfText(`${body}${last}`)), link: next && `${next}; rel="next"` };
    },
});

/** The longest grace period of a rotated secret, in seconds: a year. */
const LONGEST_GRACE = 366 * 86_400;

export const Rotation = z
  .object({ graceSeconds: integer(0, LONGEST_GRACE).default(DEFAULT_GRACE / 1_000) }, JSON_OBJECT)
  .default({ graceSeconds: DEFAULT_GRACE / 1_000 })
  .meta({
    id: "Rotation",
    description: "The grace period, in which the key's earlier secrets still work.",
    examples: [{ graceSeconds: 3_600 }],
  });

/** Whose rotations the audit log has: it is no operator. */
const AUTHOR = { name: "key holder" };

/** POST /key/rotate. Source: docs/your-key.md. */
const rotateOwnKeyOf = (deprecated: readonly Description[]) =>
  operation({
    id: "rotateOwnKey",
    route: "POST /key/rotate",
    scope: "key:rotate",
    isFree: true,
    summary: "Rotate your secret",
    description: `Gives the key of the request a new secret, which only this response shows. The secret of the request works until the grace period ends, after a day by default; until then it cannot rotate the key. A key gets at most ${MAX_ROTATIONS} secrets in 24 hours. With an \`Idempotency-Key\` you can retry safely: for 24 hours a repeated request rotates nothing and gets the same secret. ${FREE}`,
    request: { headers: IdempotentRequest, body: Rotation },
    answers: {
      200: {
        description: "The key and its new secret.",
        schema: z
          .object({ key: reference(OwnKey), secret })
          .meta({ id: "RotatedKey", description: "A key with its new secret." }),
        example: { key: exampleKey, secret: "pets_live_…" },
        headers: ofReplay,
      },
    },
    refusals: ["idempotency_key_reused"],
    handle: async (services, { headers, body, context }) => {
      const { keys, deployment, clock } = services;
      const { key, requestId } = context;
      const now = clock();
      const from = secretIn(context.request.headers.get("Authorization") ?? "");
      const idempotencyKey = idempotencyKeyOf(headers, key.id, now);
      const { secret, isReplay } = await new KeyAdministration(keys, deployment, { operator: AUTHOR, requestId })
        .rotateOwn(key.id, { from, grace: body.graceSeconds * 1000, key: idempotencyKey, now })
        .catch((error) => refuseRotation(error, context, services));
      if (isReplay) context.headers["Idempotency-Replayed"] = "true";
      const found = await ofRequest(context, services);
      return json(context, 200, { key: await ownKeyJson(found, context, services, deprecated), secret });
    },
  });

/** The operations by which a key reads and rotates itself. `others` has the operations that it may call. */
export function keyOperationsOf(others: readonly Description[]) {
  const deprecated = others.filter((one) => one.deprecated !== undefined);
  return [getOwnKeyOf(deprecated), listOwnRequests, rotateOwnKeyOf(deprecated)];
}
