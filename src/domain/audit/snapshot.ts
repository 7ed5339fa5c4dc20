import { isObject } from "./changes.ts";

/** Copies an object for the audit log. Its times, whose names end in `At`, become strings (RFC 3339), also within objects. */
export function snapshotOf(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, readable(name, field)]));
}

function readable(name: string, field: unknown): unknown {
  if (typeof field === "number") return name.endsWith("At") ? new Date(field).toISOString() : field;
  return isObject(field) ? snapshotOf(field) : field;
}
