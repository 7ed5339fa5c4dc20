/** Copies an object for the audit log. Its times, whose names end in `At`, become strings (RFC 3339). */
export function snapshotOf(value: object): object {
  const readable = ([name, field]: [string, unknown]): [string, unknown] =>
    name.endsWith("At") && typeof field === "number" ? [name, new Date(field).toISOString()] : [name, field];
  return Object.fromEntries(Object.entries(value).map(readable));
}
