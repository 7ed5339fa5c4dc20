import { z } from "zod";
import { tagOfVersion } from "../../../../domain/changes.ts";
import { type ErrorCode, PetstoreError } from "../../../../domain/errors.ts";
import { KeyAdministration, keyVerbs } from "../../../../domain/keys/administration.ts";
import {
  MAX_EMAIL_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  OWNER_RULE,
  parseOwner,
  scopes,
  states,
} from "../../../../domain/keys/key.ts";
import { MAX_REQUESTS, MAX_SCHEDULE_SEED } from "../../../../domain/keys/simulation.ts";
import {
  CURSOR,
  cursorOf,
  type KeyWithLimitStatus,
  type KeyWithSecrets,
  keyJson,
  positionOf,
} from "../../../../domain/keys/store.ts";
import type { Limiter } from "../../../../domain/limits/limiter.ts";
import { plans } from "../../../../domain/limits/limits.ts";
import { ofChange } from "../../openapi-headers.ts";
import { authorOf } from "../../operation.ts";
import { Rotation } from "../../operations/key.ts";
import { count, listOf, pageLimit, parsed, secret, text, timestamp } from "../../parameters.ts";
import { type HttpResponse, json, PATCH_TYPES } from "../../request.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../../responses.ts";
import type { Description, RouteText } from "../../routes.ts";
import { id, keyText, NEXT, pathId } from "../fields.ts";
import { flag } from "../files.ts";
import { KeyChange, NewKey, NewSimulation } from "./key-bodies.ts";
import { type OperatorContext, type OperatorServices, operation } from "./operation.ts";

const exampleSimulation = {
  answer: "rate_limit_exceeded",
  next: 3,
  startedAt: "2026-12-02T10:00:00.250Z",
  requests: 1,
};

/** A number that a simulation may lack. */
const some = (max: number, description: string) =>
  count.max(max).optional().meta({ type: "integer", minimum: 0, maximum: max, description });

/** What an operator has set for the requests of a key. */
const KeySimulation = z
  .strictObject({
    answer: z.string().meta({ description: "A value of the header `Petstore-Simulate`." }),
    next: some(MAX_REQUESTS, "The answer is that of so many requests, from the first on."),
    every: some(MAX_REQUESTS, "The answer is that of one in so many requests."),
    percent: some(100, "The answer is that of this share of the requests."),
    seed: some(MAX_SCHEDULE_SEED, "Selects the requests of the share."),
    startedAt: timestamp,
    requests: count.meta({ description: "The requests of the key since then." }),
  })
  .meta({
    id: "KeySimulation",
    description:
      "What requests of a key are answered with instead, on staging. It has one of next, every and percent, and with percent a seed.",
    examples: [exampleSimulation],
  });

/** The key with what it has used of its limits, on all nodes together; undefined while Redis is unavailable. */
async function withLimitStatus(found: KeyWithSecrets, limitStatus: Limiter["status"]): Promise<KeyWithLimitStatus> {
  try {
    return { ...found, limitStatus: await limitStatus(found.key) };
  } catch {
    return { ...found, limitStatus: undefined };
  }
}

/** The same for many keys. Their concurrent look-ups take little more than one round trip. */
function allWithLimitStatus(found: KeyWithSecrets[], limitStatus: Limiter["status"]): Promise<KeyWithLimitStatus[]> {
  return Promise.all(found.map((one) => withLimitStatus(one, limitStatus)));
}

export const KeyPath = z.object({ id: pathId("key_4kTn0aWq7JbYcX2z", "key_not_found") });

const Window = z
  .strictObject({
    limit: count,
    used: count,
    remaining: count,
    resetAt: timestamp
      .nullable()
      .meta({ description: "When the window ends; null while it is not open: the next request opens it." }),
  })
  .meta({ id: "Window", description: "What a key has used of one of its limits." });

/** For the document: each field has a value, as linters do not expect null in an example. */
export const exampleKey = {
  id: "key_4kTn0aWq7JbYcX2z",
  version: 4,
  name: "My app",
  owner: { name: "Ada", email: "ada@example.org" },
  note: "Contract 4711",
  plan: "pro",
  limits: { perMinute: 300, perDay: 10_000 },
  scopes: ["pets:read", "pets:write"],
  createdAt: "2026-12-02T10:00:00.250Z",
  expiresAt: "2030-12-02T10:00:00.000Z",
  revokedAt: "2026-12-02T12:00:00.250Z",
  lastUsedAt: "2026-12-02T10:30:00.250Z",
  disabledAt: "2026-12-02T11:00:00.250Z",
  lastFour: "c0kH",
  earlierSecrets: [],
  state: "revoked",
  usage: {
    minute: { limit: 300, used: 2, remaining: 298, resetAt: "2026-12-02T10:31:00.000Z" },
    day: { limit: 10_000, used: 12, remaining: 9_988, resetAt: "2026-12-03T10:00:00.000Z" },
    strikes: 0,
    bannedUntil: "2026-12-02T10:35:00.000Z",
  },
  simulation: exampleSimulation,
};

export const KeyOwner = z
  .strictObject({ name: text(MAX_NAME_LENGTH).nullable(), email: text(MAX_EMAIL_LENGTH).nullable() })
  .meta({ description: "Who uses a key: a name, an e-mail address, or both." });

export const Key = z
  .strictObject({
    id: id.meta({ examples: ["key_4kTn0aWq7JbYcX2z"] }),
    version: count.meta({
      description:
        'Grows with every change by an operator. Version 4 has the ETag `"v4"`, which a change takes in `If-Match`.',
    }),
    name: text(MAX_NAME_LENGTH),
    owner: KeyOwner.nullable(),
    note: text(MAX_NOTE_LENGTH).nullable(),
    plan: z.enum(plans),
    limits: z.strictObject({ perMinute: count, perDay: count }),
    scopes: z.array(z.enum(scopes)).max(scopes.length),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: "Accurate to a minute." }),
    disabledAt: timestamp.nullable(),
    lastFour: text(4).meta({ description: "The last four characters of its newest secret." }),
    earlierSecrets: z.array(z.strictObject({ lastFour: text(4), expiresAt: timestamp })).meta({
      description: "The secrets before the last rotation that still work, with the end of their grace period.",
    }),
    state: z.enum(states),
    usage: z
      .strictObject({
        minute: Window,
        day: Window,
        strikes: count.meta({ description: "Refused requests that count towards a ban." }),
        bannedUntil: timestamp.nullable(),
      })
      .nullable()
      .meta({ description: "Null while Redis is unavailable. `state` does not show bans then." }),
    simulation: KeySimulation.nullable(),
  })
  .meta({ id: "Key", description: "An API key, without its secrets.", examples: [exampleKey] });

export const IssuedKey = z.strictObject({ key: Key, secret }).meta({
  id: "IssuedKey",
  description: "A key with its new secret.",
  examples: [{ key: exampleKey, secret: "pets_live_…" }],
});

type KeyAnswer = {
  services: OperatorServices;
  context: OperatorContext;
  id: string;
  status?: 200 | 201;
  secret?: string;
};

/** The current state of a key with its ETag, beside its new secret if it has one. @throws key_not_found */
async function keyAnswer({ services, context, id, status = 200, secret }: KeyAnswer): Promise<HttpResponse> {
  const found = await services.keys.get(id);
  if (found === undefined) throw new PetstoreError("key_not_found");
  const key = keyJson(await withLimitStatus(found, services.limitStatus), services.clock());
  const headers = { ETag: etagOf(tagOfVersion(found.version)) };
  return json(context, status, secret === undefined ? key : { key, secret }, headers);
}

function keyAdministration(
  { keys, deployment }: OperatorServices,
  context: OperatorContext,
  headers: z.output<typeof ConditionalChange> = {},
): KeyAdministration {
  return new KeyAdministration(keys, deployment, authorOf(context), preconditionsIn(headers));
}

/** What the answer with a key has, and a change of one requires. */
const withKey = (description: string) => ({ description, schema: Key, headers: ofChange });
const ofKey = { params: KeyPath, headers: ConditionalChange };

const MAX_PAGE = 200;

const MAX_CURSOR_LENGTH = 85;
const exampleCursor = "1795000000000.key_4kTn0aWq7JbYcX2z";

const KeysQuery = z.object({
  limit: pageLimit(MAX_PAGE, 50),
  after: parsed(positionOf, "must be the next of an earlier page")
    .optional()
    .meta({
      type: "string",
      pattern: CURSOR.source,
      maxLength: MAX_CURSOR_LENGTH,
      description: "The `next` of the previous page.",
      examples: [exampleCursor],
    }),
  search: keyText("Only keys whose id, name, owner or last four characters contain this text."),
  owner: parsed(parseOwner, OWNER_RULE)
    .optional()
    .meta({
      type: "string",
      minLength: 1,
      maxLength: MAX_EMAIL_LENGTH,
      description: "Only keys of the owner with this e-mail address, or of those with this name, in any case.",
      examples: ["ada@example.org"],
    }),
  plan: listOf(plans).optional(),
  state: listOf(states).optional().meta({ description: "A ban counts within a second after it begins." }),
  rehearsing: flag("`true` for only the keys that have a simulation."),
  sort: z.enum(["newest", "owner"], { error: "must be newest or owner" }).default("newest").meta({
    description: "By age, the newest first; or by owner, those without one last, and for each the oldest first.",
  }),
});

export const Keys = z
  .strictObject({
    keys: z.array(Key).max(MAX_PAGE),
    next: text(MAX_CURSOR_LENGTH).nullable().meta({ description: NEXT }),
    total: count.meta({ description: "The number of matching keys on all pages." }),
  })
  .meta({
    id: "Keys",
    description: "A page of keys.",
    examples: [{ keys: [exampleKey], next: exampleCursor, total: 1 }],
  });

const listKeys = operation({
  id: "listKeys",
  route: "GET /keys",
  role: "viewer",
  summary: "List keys",
  description: "Lists keys, newest first or by owner, each with what it has used of its limits now.",
  request: { query: KeysQuery },
  answers: { 200: { description: "A page of keys.", schema: Keys } },
  handle: async (services, { query, context }) => {
    const { limit, after, sort: order, rehearsing: isRehearsing, ...others } = query;
    const asked = { ...others, isRehearsing, order, limit: limit + 1, after };
    const now = services.clock();
    const { keys: found, total } = await services.keys.listCounted(asked, now);
    const page = await allWithLimitStatus(found.slice(0, limit), services.limitStatus);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return json(context, 200, {
      keys: page.map((key) => keyJson(key, now)),
      next: last === undefined ? null : cursorOf(last.key),
      total,
    });
  },
});

const createKey = operation({
  id: "createKey",
  route: "POST /keys",
  role: "admin",
  summary: "Create a key",
  description: "Creates a key, which works at once. Only this response shows its secret.",
  request: { body: NewKey },
  answers: { 201: { ...withKey("The key and its secret."), schema: IssuedKey } },
  handle: async (services, { body, context }) => {
    const { key, secret } = await keyAdministration(services, context).create(body, services.clock());
    return keyAnswer({ services, context, id: key.id, status: 201, secret });
  },
});

const getKey = operation({
  id: "getKey",
  route: "GET /keys/{id}",
  role: "viewer",
  summary: "Get a key",
  description: "Returns a key with what it has used of its limits now.",
  request: { params: KeyPath },
  answers: { 200: withKey("The key.") },
  refusals: ["key_not_found"],
  handle: (services, { params, context }) => keyAnswer({ services, context, id: params.id }),
});

const updateKey = operation({
  id: "updateKey",
  route: "PATCH /keys/{id}",
  role: "admin",
  summary: "Change a key",
  description:
    "Changes the name, owner, note, plan, limits, scopes or expiry of a key, disables or enables it, at once. `owner`, `limits` and `scopes` are replaced as a whole. What the key has used of its limits stays.",
  request: { ...ofKey, body: KeyChange, types: PATCH_TYPES },
  answers: { 200: withKey("The changed key.") },
  refusals: ["key_not_found", "precondition_failed", "invalid_state"],
  handle: async (services, { params, headers, body, context }) => {
    await keyAdministration(services, context, headers).update(params.id, body, services.clock());
    return keyAnswer({ services, context, id: params.id });
  },
});

const rotateKey = operation({
  id: "rotateKey",
  route: "POST /keys/{id}/rotate",
  role: "admin",
  summary: "Rotate a key's secret",
  description:
    "Gives a key a new secret, which only this response shows. Its earlier secrets work until the grace period ends, after a day by default. Limits and counts stay.",
  request: { ...ofKey, body: Rotation },
  answers: { 200: { ...withKey("The key and its new secret."), schema: IssuedKey } },
  refusals: ["key_not_found", "precondition_failed", "invalid_state"],
  handle: async (services, { params: { id }, headers, body, context }) => {
    const keys = keyAdministration(services, context, headers);
    const { secret } = await keys.rotate(id, body.graceSeconds * 1000, services.clock());
    return keyAnswer({ services, context, id, secret });
  },
});

const simulateKey = operation({
  id: "simulateKey",
  route: "PUT /keys/{id}/simulation",
  role: "admin",
  summary: "Simulate answers to a key",
  description:
    "Has requests of a key answered with a simulated answer, on staging only: the next ones, one in so many, or a share. Replaces the simulation that the key has. Requests with the header `Petstore-Simulate` follow that, and do not count.",
  request: { ...ofKey, body: NewSimulation },
  answers: { 200: withKey("The key.") },
  refusals: ["key_not_found", "precondition_failed", "invalid_state"],
  handle: async (services, { params, headers, body, context }) => {
    await keyAdministration(services, context, headers).simulate(params.id, body, services.clock());
    return keyAnswer({ services, context, id: params.id });
  },
});

/** A change of a key at `now` (Unix ms) that needs nothing but its id. The response has the key. */
type Verb = Pick<Description, "id" | "summary" | "description"> & {
  route: RouteText;
  answer: string;
  refusals?: ErrorCode[];
  change: (keys: KeyAdministration, id: string, now: number) => Promise<unknown>;
};

function verb({ answer, refusals = [], change, ...described }: Verb) {
  return operation({
    ...described,
    role: "admin",
    request: ofKey,
    answers: { 200: withKey(answer) },
    refusals: ["key_not_found", "precondition_failed", ...refusals],
    handle: async (services, { params, headers, context }) => {
      await change(keyAdministration(services, context, headers), params.id, services.clock());
      return keyAnswer({ services, context, id: params.id });
    },
  });
}

/** The operations of keys, in the order of the document. */
export const keyOperations = [
  listKeys,
  createKey,
  getKey,
  updateKey,
  rotateKey,
  ...keyVerbs.map(({ name, operation: { id, ...described }, change }) =>
    verb({ ...described, id, route: `POST /keys/{id}/${name}`, change }),
  ),
  simulateKey,
  verb({
    id: "endSimulation",
    route: "DELETE /keys/{id}/simulation",
    summary: "End a key's simulation",
    description: "Has requests of a key answered as they are. A key without a simulation stays as it is.",
    answer: "The key without a simulation.",
    change: (keys, id, now) => keys.endSimulation(id, now),
  }),
];
