import { toJson } from "../json/write.ts";

/** A field that changed. `from` is undefined for one that did not exist before, `to` for one that no longer exists. */
export type Change = { field: string; from: unknown; to: unknown };

/** Fields of a new or a removed object that are shown beside its changes. */
const omitted = ["id", "name", "createdAt"];
/** A field that changes with every other one, at the time of the entry. */
const UPDATED = "updatedAt";

/** The fields that differ between two objects; nested ones as `limits.perDay`. */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const from = flatten(before);
  const to = flatten(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => field !== UPDATED && toJson(from.get(field)) !== toJson(to.get(field)))
    .map((field) => ({ field, from: from.get(field), to: to.get(field) }))
    .filter(({ field, from: was, to: is }) => {
      if (was !== undefined && is !== undefined) return true;
      return (was ?? is ?? null) !== null && !omitted.includes(field);
    });
}

function flatten(value: unknown, prefix = ""): Map<string, unknown> {
  const fields = Object.entries(isObject(value) ? value : {}).flatMap(([name, nested]): [string, unknown][] =>
    isObject(nested) ? [...flatten(nested, `${prefix}${name}.`)] : [[`${prefix}${name}`, nested]],
  );
  return new Map(fields);
}

/** The name of what changed, if the state has one. */
export function nameOf(state: unknown): string | undefined {
  return isObject(state) && typeof state.name === "string" ? state.name : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats the value of a field for people. Numbers are grouped, except in ids. */
export function formatValue(value: unknown, field = ""): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => formatValue(item, field)).join(", ");
  if (typeof value === "number" || typeof value === "bigint") {
    return field.endsWith("Id") ? String(value) : value.toLocaleString("en");
  }
  return typeof value === "string" ? value : toJson(value);
}
