import { type Command, InvalidArgumentError, Option } from "commander";
import { PetstoreError } from "../../domain/errors.ts";
import {
  isName,
  isNote,
  NAME_RULE,
  NOTE_RULE,
  OWNER_RULE,
  type Owner,
  parseOwner,
  type Scope,
  scopes,
} from "../../domain/keys/key.ts";
import { type Limits, MAX_LIMIT, type Plan, plans } from "../../domain/limits/limits.ts";

/** The options for custom limits, as commander parses them. */
export type LimitOptions = { perMinute?: number; perDay?: number };

export function planOption(): Option {
  return new Option("--plan <plan>", "the plan, with its limits").choices(plans);
}

export function scopesOption(): Option {
  return new Option("--scopes <scopes>", `some of ${scopes.join(", ")}`)
    .argParser(parseScopes)
    .default([...scopes], "all");
}

export function limitOptions(): [Option, Option] {
  return [
    new Option("--per-minute <number>", "requests per minute (enterprise only)").argParser(parseLimit),
    new Option("--per-day <number>", "requests per day (enterprise only)").argParser(parseLimit),
  ];
}

export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;
export const ID_ARGUMENT = ["<id>", "the key's id, such as key_4kTn…: `petstore keys list` shows it"] as const;

/** Returns the custom limits: both for the enterprise plan, undefined for the others. Anything else is a usage error. */
export function limitsOf(plan: Plan, { perMinute, perDay }: LimitOptions, command: Command): Limits | undefined {
  if (plan !== "enterprise") {
    if (perMinute === undefined && perDay === undefined) return undefined;
    return command.error(
      `error: the ${plan} plan has fixed limits; --per-minute and --per-day are for enterprise only`,
    );
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay };
  return command.error("error: the enterprise plan needs --per-minute <number> and --per-day <number>");
}

export function parseName(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`It ${NAME_RULE}.`);
}

/** @throws InvalidArgumentError */
export function parseOwnerArgument(text: string): Owner {
  const owner = parseOwner(text);
  if (owner !== undefined) return owner;
  throw new InvalidArgumentError(`It ${OWNER_RULE}.`);
}

/** @throws InvalidArgumentError */
export function parseNote(text: string): string {
  if (isNote(text)) return text;
  throw new InvalidArgumentError(`It ${NOTE_RULE}.`);
}

/** Parses scopes, separated by commas, each at most once. @throws InvalidArgumentError */
export function parseScopes(text: string): Scope[] {
  const named = text.split(",").map((word) => word.trim());
  const found = scopes.filter((scope) => named.includes(scope));
  if (found.length === named.length) return found;
  throw new InvalidArgumentError(`It must be one or more of ${scopes.join(", ")}, separated by commas.`);
}

function parseLimit(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_LIMIT) return number;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}

/** The error for an unknown key id. */
export function keyNotFound(id: string): PetstoreError {
  return new PetstoreError("key_not_found", { message: `There is no key ${id}.` });
}
