type State = Record<string, unknown>;

/** What was one thing before and is another now. `from` is undefined where nothing was before. */
export type Change = { name: string; from: unknown; to: unknown };

/** What stands on the entry anyway. */
const told = ["id", "name", "createdAt"];

/** What differs between two states, by name; parts of a part as `limits.perDay`. */
export function changes(before: unknown, after: unknown): Change[] {
  const from = flat(before);
  const to = flat(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((name) => JSON.stringify(from.get(name)) !== JSON.stringify(to.get(name)))
    .map((name) => ({ name, from: from.get(name), to: to.get(name) }))
    .filter(({ name, from: was, to: is }) => was !== undefined || (is !== null && !told.includes(name)));
}

function flat(state: unknown, prefix = ""): Map<string, unknown> {
  const parts = Object.entries(isState(state) ? state : {}).flatMap(([name, value]): [string, unknown][] =>
    isState(value) ? [...flat(value, `${prefix}${name}.`)] : [[`${prefix}${name}`, value]],
  );
  return new Map(parts);
}

/** Whether this is a thing with parts of its own. */
export function isState(value: unknown): value is State {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether this is a moment as the interface writes it. */
export function isMoment(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

/** A value as people write it. */
export function said(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(said).join(", ");
  if (typeof value === "number") return value.toLocaleString("en");
  return typeof value === "string" ? value : JSON.stringify(value);
}
