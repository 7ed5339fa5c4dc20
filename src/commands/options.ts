import { InvalidArgumentError, Option } from "commander";
import { INT64_MAX, INT64_MIN, signedInt64 } from "../domain/int64.ts";

/** An option with one or more of these values, separated by commas. */
export function anyOfOption<Value extends string>(
  flags: string,
  description: string,
  values: readonly Value[],
): Option {
  const parse = (text: string): Value[] => {
    const named = text.split(",").map((word) => word.trim());
    const found = values.filter((value) => named.includes(value));
    if (found.length === new Set(named).size) return found;
    throw new InvalidArgumentError(`It must be one or more of ${values.join(", ")}, separated by commas.`);
  };
  return new Option(flags, `${description}: ${values.join(", ")}`).argParser(parse);
}

/** Parses any int64 in plain digits. */
export function parseInt64(text: string): bigint {
  const value = signedInt64(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`It must be an integer from ${INT64_MIN} to ${INT64_MAX}.`);
}

/** Parses ids, separated by commas. */
export function parseIds(text: string): bigint[] {
  return text.split(",").map((id) => parseInt64(id.trim()));
}

/** The option for the largest number of items. */
export function limitOption(description: string): Option {
  return new Option("--limit <number>", description).argParser((text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (number > 0) return number;
    throw new InvalidArgumentError("It must be a whole number above 0.");
  });
}

/** An option for a time, read as Unix milliseconds. */
export function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
    const time = isTime ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    throw new InvalidArgumentError("It must be a date or a time, such as 2026-12-02 or 2026-12-02T10:00:00Z.");
  });
}
