/** A field that changed. `from` is undefined for one that did not exist before. */
export type Change = { field: string; from: unknown; to: unknown };

/** Fields of a new object that the entry shows anyway. */
const omitted = ["id", "name", "createdAt"];

/** The fields that differ between two objects; nested ones as `limits.perDay`. */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const from = flatten(before);
  const to = flatten(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => JSON.stringify(from.get(field)) !== JSON.stringify(to.get(field)))
    .map((field) => ({ field, from: from.get(field), to: to.get(field) }))
    .filter(({ field, from: was, to: is }) => was !== undefined || (is !== null && !omitted.includes(field)));
}

function flatten(value: unknown, prefix = ""): Map<string, unknown> {
  const fields = Object.entries(isObject(value) ? value : {}).flatMap(([name, nested]): [string, unknown][] =>
    isObject(nested) ? [...flatten(nested, `${prefix}${name}.`)] : [[`${prefix}${name}`, nested]],
  );
  return new Map(fields);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value` is a timestamp as the API writes it. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  if (typeof value === "number") return value.toLocaleString("en");
  return typeof value === "string" ? value : JSON.stringify(value);
}
