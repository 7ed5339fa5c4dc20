// The bodies of the requests that create and change keys.

import { z } from "zod";
import {
  defaultScopes,
  EMAIL_RULE,
  isEmail,
  isNote,
  isOwnerName,
  MAX_EMAIL_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
  NOTE_RULE,
  OWNER_NAME_RULE,
  type Owner,
  type Scope,
  scopes,
} from "../../../../domain/keys/key.ts";
import { MAX_REQUESTS, MAX_SCHEDULE_SEED } from "../../../../domain/keys/simulation.ts";
import { MAX_LIMIT, plans } from "../../../../domain/limits/limits.ts";
import { integer, JSON_OBJECT, required, time } from "../../parameters.ts";
import { name } from "../fields.ts";

const plan = z.enum(plans, { error: required(`must be one of ${plans.join(", ")}`) });

const limits = z.object(
  { perMinute: integer(1, MAX_LIMIT), perDay: integer(1, MAX_LIMIT) },
  { error: "must be an object with perMinute and perDay" },
);

const keyScopes = z
  .array(z.enum(scopes, { error: `must be one of ${scopes.join(", ")}` }), { error: "must be an array" })
  .min(1, { error: "must not be empty" })
  .meta({ maxItems: scopes.length });

const ownerEmail = z
  .string({ error: "must be a string" })
  .refine(isEmail, { error: EMAIL_RULE })
  .meta({
    format: "email",
    maxLength: MAX_EMAIL_LENGTH,
    examples: ["ada@example.org"],
  });
const ownerName = z
  .string({ error: "must be a string" })
  .refine(isOwnerName, { error: OWNER_NAME_RULE })
  .meta({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description: "Not blank, without control characters and without <, > and @.",
    examples: ["Ada"],
  });

/** Who uses a key, in a request. */
const owner = z
  .object(
    { name: ownerName.nullable().optional(), email: ownerEmail.nullable().optional() },
    { error: "must be an object with name, email, or both" },
  )
  .refine(({ name, email }) => (name ?? email ?? null) !== null, { error: "must have a name, an email, or both" })
  .meta({
    description: "Who uses the key: a name, an e-mail address, or both.",
    anyOf: ["name", "email"].map((field) => ({
      required: [field],
      properties: { [field]: { not: { type: "null" } } },
    })),
  })
  .transform(({ name, email }): Owner => ({ ...(name != null && { name }), ...(email != null && { email }) }));

const note = z
  .string({ error: "must be a string" })
  .refine(isNote, { error: NOTE_RULE })
  .meta({
    description: "What operators need to remember about the key: one line, not blank, without control characters.",
    minLength: 1,
    maxLength: MAX_NOTE_LENGTH,
    examples: ["Contract 4711"],
  });

export const NewKey = z
  .object(
    {
      name,
      owner: owner.optional(),
      note: note.optional(),
      plan,
      limits: limits.optional().meta({ description: "Required by the enterprise plan, refused by the other plans." }),
      scopes: keyScopes.default((): Scope[] => [...defaultScopes]),
      expiresAt: time.optional(),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "NewKey",
    description: "A key to create. Without `expiresAt` it never expires.",
    examples: [
      {
        name: "My app",
        owner: { name: "Ada", email: "ada@example.org" },
        plan: "pro",
        scopes: ["pets:read"],
        expiresAt: "2030-12-02T10:00:00Z",
      },
    ],
  });

export const KeyChange = z
  .object(
    {
      name: name.optional(),
      owner: owner.nullable().optional(),
      note: note.nullable().optional(),
      plan: plan.optional(),
      limits: limits.optional(),
      scopes: keyScopes.optional(),
      expiresAt: time
        .nullable()
        .optional()
        .meta({ type: ["string", "null"] }),
      disabled: z.boolean({ error: "must be true or false" }).optional().meta({
        description: "A disabled key is refused until it is enabled again.",
      }),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "KeyChange",
    description: "The fields of a key to change. Other fields stay; null removes the owner, the note or the expiry.",
    examples: [{ plan: "business", expiresAt: "2030-12-02T10:00:00Z" }],
  });

export const NewSimulation = z
  .object(
    {
      answer: z.string({ error: required("must be a string") }).meta({
        description: "A value of the header `Petstore-Simulate`, such as an error code or `delay=2000`.",
        examples: ["rate_limit_exceeded"],
      }),
      next: integer(1, MAX_REQUESTS)
        .optional()
        .meta({ description: "Answers so many requests, from the next one on." }),
      every: integer(1, MAX_REQUESTS).optional().meta({ description: "Answers one in so many requests." }),
      percent: integer(1, 100).optional().meta({ description: "Answers this share of the requests." }),
      seed: integer(0, MAX_SCHEDULE_SEED).optional().meta({
        description: "Selects the requests of the share: the same seed, the same requests. 0 by default.",
      }),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "NewKeySimulation",
    description: "An answer, and exactly one of `next`, `every` and `percent`.",
    examples: [{ answer: "rate_limit_exceeded", next: 3 }],
  });
