import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { INT64_MAX, INT64_MIN, signedInt64 } from "../domain/int64.ts";
import { isName, NAME_RULE } from "../domain/keys/key.ts";
import { millisecondsOf } from "../domain/time.ts";

/** An argument, by its name in brackets, or an option, by its flags; what it is, and what reads its text. */
type Parameter = readonly [name: string, description: string, parse?: (text: string) => unknown];

/** A command, as its help describes it. */
export type CommandParts = {
  name: string;
  description: string;
  arguments?: readonly (Parameter | Argument)[];
  /** Without `--json`, which follows them. */
  options?: readonly (Parameter | Option)[];
  /** What `--json` does. */
  json?: string;
  /** Paragraphs that precede the examples. */
  about?: string;
  /** Commands; one that takes two lines has the second indented. */
  examples: readonly string[];
};

export type JsonOption = { json?: boolean };

/** Returns the function that makes a command. `action` gets the arguments, the options and the command. */
export function defineCommand<Args extends unknown[]>(
  parts: CommandParts & { action: (...args: Args) => void | Promise<void> },
): () => Command {
  return () => {
    const command = new Command(parts.name).description(parts.description);
    for (const one of parts.arguments ?? []) {
      command.addArgument(one instanceof Argument ? one : parsing(new Argument(one[0], one[1]), one[2]));
    }
    for (const one of [...(parts.options ?? []), ["--json", parts.json ?? "print JSON, for scripts"] as const]) {
      command.addOption(one instanceof Option ? one : parsing(new Option(one[0], one[1]), one[2]));
    }
    return command.addHelpText("after", helpOf(parts)).action(parts.action);
  };
}

function parsing<P extends Argument | Option>(parameter: P, parse: Parameter[2]): P {
  if (parse !== undefined) parameter.argParser(parse);
  return parameter;
}

function helpOf({ about, examples }: CommandParts): string {
  const heading = examples.length === 1 ? "Example" : "Examples";
  return [...(about === undefined ? [] : [`\n${about}`]), `\n${heading}:`, ...examples.map((one) => `  ${one}`)].join(
    "\n",
  );
}

/** Returns the function that makes a command of subcommands, such as `pets`. */
export function defineGroup(name: string, description: string, subcommands: readonly (() => Command)[]): () => Command {
  return () => {
    const group = new Command(name).description(description);
    for (const make of subcommands) group.addCommand(make());
    return group;
  };
}

/** Returns a parser of the texts that `read` can read. It throws InvalidArgumentError with the rule for others. */
export function parser<Value>(read: (text: string) => Value | undefined, rule: string): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It ${rule}.`);
  };
}

/** Returns a parser of valid texts, which stay as they are. */
export function textParser(isValid: (text: string) => boolean, rule: string): (text: string) => string {
  return parser((text) => (isValid(text) ? text : undefined), rule);
}

export function wordsOf(text: string): string[] {
  return text.split(",").map((word) => word.trim());
}

/** An option with one or more of these values, separated by commas. */
export function anyOfOption(flags: string, description: string, values: readonly string[]): Option {
  const read = (text: string) => {
    const named = wordsOf(text);
    const found = values.filter((value) => named.includes(value));
    return found.length === new Set(named).size ? found : undefined;
  };
  const rule = `must be one or more of ${values.join(", ")}, separated by commas`;
  return new Option(flags, `${description}: ${values.join(", ")}`).argParser(parser(read, rule));
}

/** Returns a parser of integers in plain digits within these bounds. */
export function integer(min: bigint, max = INT64_MAX): (text: string) => bigint {
  const read = (text: string) => {
    const value = signedInt64(text);
    return value !== undefined && value >= min && value <= max ? value : undefined;
  };
  return parser(read, `must be an integer from ${min} to ${max}`);
}

/** The same for numbers that a double holds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  const parse = integer(BigInt(min), BigInt(max));
  return (text) => Number(parse(text));
}

/** Parses a text that is not blank: a setting that is, counts as not set. @throws InvalidArgumentError */
export function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It must be some text, not empty.");
}

/** The settings that `petstore demo` takes no value of. */
export const ignoredByDemo = [
  "PETSTORE_DEPLOYMENT",
  "DATABASE_URL",
  "REDIS_URL",
  "PETSTORE_STAGING_BASE_URL",
  "PETSTORE_BACKUP_EVERY",
  "PETSTORE_BACKUP_S3",
];

export const MAX_PORT = 65_535;

/** Parses an id that the service has assigned: that of a pet or an order. */
export const parseAssignedId = integer(1n);

export const parseCategoryId = integer(INT64_MIN);

/** Parses ids, separated by commas, each with `parse`. */
export function idsOf(parse: (text: string) => bigint): (text: string) => bigint[] {
  return (text) => wordsOf(text).map(parse);
}

export function limitOption(description: string): Option {
  const read = (text: string) => (/^\d{1,9}$/.test(text) && Number(text)) || undefined;
  return new Option("--limit <number>", description).argParser(parser(read, "must be a whole number above 0"));
}

/** An option for a time, read as Unix milliseconds. */
export function timeOption(flags: string, description: string): Option {
  const read = (text: string) => {
    const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
    const time = isTime ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  };
  const rule = "must be a date or a time, such as 2026-12-02 or 2026-12-02T10:00:00Z";
  return new Option(flags, description).argParser(parser(read, rule));
}

/** Parses a duration such as 30s, 15m, 24h or 90d. Returns milliseconds. */
export const parseDuration = parser(millisecondsOf, "must be a duration such as 30s, 15m, 24h or 90d");

/** Parses a duration above 0. Returns milliseconds. @throws InvalidArgumentError */
export function parseLifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("It must be longer than 0, such as 24h or 90d.");
  return milliseconds;
}

/** Parses the name of a key or of an operator. */
export const parseName = textParser(isName, NAME_RULE);
