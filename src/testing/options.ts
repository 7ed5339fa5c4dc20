import { z } from "zod";
import { limitsFor } from "../domain/keys/administration.ts";
import { type Scope, scopes } from "../domain/keys/key.ts";
import { type Limits, MAX_LIMIT, type Plan, plans } from "../domain/limits/limits.ts";
import { MAX_SEED } from "../domain/shop.ts";
import { origins } from "../wiring/config-schemas.ts";
import { INSTANT_RULE, unixTime } from "./clock.ts";
import type { KeyOptions, PetstoreOptions } from "./petstore.ts";

/** The checked options of a key. `expiresAt` is in Unix ms. */
export type NewKey = { plan: Plan; limits: Limits; scopes: Scope[]; expiresAt: number | undefined };
export type Settings = {
  key: NewKey;
  pets: number;
  seed: number;
  now: number | undefined;
  port: number;
  corsOrigins: string[];
};

const MAX_PETS = 100_000;
const limit = z.int().min(1).max(MAX_LIMIT);
const instant = z.union([z.date(), z.string(), z.number()], { error: INSTANT_RULE });

const key = {
  plan: z.enum(plans).default("business"),
  limits: z.strictObject({ perMinute: limit, perDay: limit }).optional(),
  scopes: z.array(z.enum(scopes)).default([...scopes]),
  expiresAt: instant.optional(),
};
const Key = z.strictObject(key);
const Options = z.strictObject({
  ...key,
  pets: z.int().min(0).max(MAX_PETS).default(20),
  seed: z.int().min(0).max(MAX_SEED).default(1),
  now: instant.optional(),
  port: z.int().min(0).max(65_535).default(0),
  corsOrigins: z
    .array(z.string())
    .default([])
    .transform((list) => list.join(","))
    .pipe(origins),
});

/** @throws TypeError when an option is unknown or invalid */
export function settingsOf(options: PetstoreOptions): Settings {
  const { pets, seed, now, port, corsOrigins, ...rest } = parse(Options, options, "startPetstore");
  return {
    ...{ pets, seed, port, corsOrigins },
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
    ...{ plan, scopes },
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
