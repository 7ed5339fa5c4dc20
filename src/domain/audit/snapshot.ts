/** A thing as the log shows how it was or is: its moments, whose names end in `At`, as texts (RFC 3339) for people. */
export function snapshotOf(thing: object): object {
  const told = ([name, value]: [string, unknown]): [string, unknown] =>
    name.endsWith("At") && typeof value === "number" ? [name, new Date(value).toISOString()] : [name, value];
  return Object.fromEntries(Object.entries(thing).map(told));
}
