/** An object as the audit log shows it: its times, whose names end in `At`, are texts (RFC 3339). */
export function snapshotOf(thing: object): object {
  const readable = ([name, value]: [string, unknown]): [string, unknown] =>
    name.endsWith("At") && typeof value === "number" ? [name, new Date(value).toISOString()] : [name, value];
  return Object.fromEntries(Object.entries(thing).map(readable));
}
