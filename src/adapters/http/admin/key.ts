import { z } from "zod";
import { PetstoreError } from "../../../domain/errors.ts";
import { KeyAdministration } from "../../../domain/keys/administration.ts";
import { keyJson } from "../../../domain/keys/json.ts";
import { scopes } from "../../../domain/keys/key.ts";
import { MAX_NAME_LENGTH } from "../../../domain/keys/name.ts";
import {
  EMAIL,
  EMAIL_RULE,
  isEmail,
  isNote,
  isOwnerName,
  MAX_EMAIL_LENGTH,
  MAX_NOTE_LENGTH,
  NOTE_RULE,
  OWNER_NAME,
  OWNER_NAME_RULE,
  type Owner,
} from "../../../domain/keys/owner.ts";
import { states } from "../../../domain/keys/state.ts";
import { MAX_LIMIT, plans } from "../../../domain/limits/plans.ts";
import { SINGLE_LINE } from "../../../domain/single-line.ts";
import { count, integer, pathId, required, timestamp } from "./fields.ts";
import { KeySimulation } from "./key-simulation.ts";
import { withLimitStatus } from "./limit-status.ts";
import type { Services } from "./operations/operation.ts";
import { authorOf, type OperatorContext } from "./request-context.ts";

export const KeyPath = z.object({ id: pathId("key_4kTn0aWq7JbYcX2z", "key_not_found") });

export const plan = z.enum(plans, { error: required(`must be one of ${plans.join(", ")}`) });

export const limits = z.object(
  { perMinute: integer(1, MAX_LIMIT), perDay: integer(1, MAX_LIMIT) },
  { error: "must be an object with perMinute and perDay" },
);

export const keyScopes = z
  .array(z.enum(scopes, { error: `must be one of ${scopes.join(", ")}` }), { error: "must be an array" })
  .min(1, { error: "must not be empty" });

const ownerEmail = z
  .string({ error: "must be a string" })
  .refine(isEmail, { error: EMAIL_RULE })
  .meta({
    maxLength: MAX_EMAIL_LENGTH,
    pattern: EMAIL,
    examples: ["ada@example.org"],
  });
const ownerName = z
  .string({ error: "must be a string" })
  .refine(isOwnerName, { error: OWNER_NAME_RULE })
  .meta({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: OWNER_NAME,
    examples: ["Ada"],
  });

/** Who uses a key, in a request. */
export const owner = z
  .object(
    { name: ownerName.nullable().optional(), email: ownerEmail.nullable().optional() },
    { error: "must be an object with name, email, or both" },
  )
  .refine(({ name, email }) => (name ?? email ?? null) !== null, { error: "must have a name, an email, or both" })
  .meta({ description: "Who uses the key: a name, an e-mail address, or both." })
  .transform(({ name, email }): Owner => ({ ...(name != null && { name }), ...(email != null && { email }) }));

export const note = z
  .string({ error: "must be a string" })
  .refine(isNote, { error: NOTE_RULE })
  .meta({
    description: "What operators need to remember about the key.",
    minLength: 1,
    maxLength: MAX_NOTE_LENGTH,
    pattern: SINGLE_LINE,
    examples: ["Contract 4711"],
  });

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

/** For the document. */
export const exampleKey = {
  id: "key_4kTn0aWq7JbYcX2z",
  name: "My app",
  owner: { name: "Ada", email: "ada@example.org" },
  note: null,
  plan: "pro",
  limits: { perMinute: 300, perDay: 10_000 },
  scopes: ["pets:read", "pets:write"],
  createdAt: "2026-12-02T10:00:00.250Z",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: "2026-12-02T10:30:00.250Z",
  disabledAt: null,
  lastFour: "c0kH",
  earlierSecrets: [],
  state: "active",
  usage: {
    minute: { limit: 300, used: 0, remaining: 300, resetAt: null },
    day: { limit: 10_000, used: 12, remaining: 9_988, resetAt: "2026-12-03T10:00:00.000Z" },
    strikes: 0,
    bannedUntil: null,
  },
  simulation: null,
};

export const KeyOwner = z
  .strictObject({ name: z.string().nullable(), email: z.string().nullable() })
  .meta({ description: "Who uses a key: a name, an e-mail address, or both." });

export const Key = z
  .strictObject({
    id: z.string().meta({ examples: ["key_4kTn0aWq7JbYcX2z"] }),
    name: z.string(),
    owner: KeyOwner.nullable(),
    note: z.string().nullable(),
    plan: z.enum(plans),
    limits: z.strictObject({ perMinute: count, perDay: count }),
    scopes: z.array(z.enum(scopes)),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: "Accurate to a minute." }),
    disabledAt: timestamp.nullable(),
    lastFour: z.string().meta({ description: "The last four characters of its newest secret." }),
    earlierSecrets: z.array(z.strictObject({ lastFour: z.string(), expiresAt: timestamp })).meta({
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

export const IssuedKey = z
  .strictObject({ key: Key, secret: z.string().meta({ description: "Only this response shows it." }) })
  .meta({
    id: "IssuedKey",
    description: "A key with its new secret.",
    examples: [{ key: exampleKey, secret: "pets_live_…" }],
  });

/** Returns the current state of a key as JSON. @throws key_not_found */
export async function currentKey({ keys, limitStatus, clock }: Services, id: string): Promise<z.infer<typeof Key>> {
  const found = await keys.get(id);
  if (found === undefined) throw new PetstoreError("key_not_found");
  return keyJson(await withLimitStatus(found, limitStatus), clock());
}

/** Changes keys on behalf of the operator who sent the request. */
export function keyAdministration({ keys, deployment }: Services, context: OperatorContext): KeyAdministration {
  return new KeyAdministration(keys, deployment, authorOf(context));
}
