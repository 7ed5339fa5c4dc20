import { InvalidArgumentError, Option } from "commander";

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
