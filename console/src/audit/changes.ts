type State = Record<string, unknown> | null;

/** What was one thing before and is another now. `from` is undefined where nothing was before. */
export type Change = { name: string; from: unknown; to: unknown };

/** What stands on the entry anyway. */
const told = ["id", "name", "createdAt"];

/** What differs between two states, by name; parts of a part as `limits.perDay`. */
export function changes(before: State, after: State): Change[] {
  const from = flat(before);
  const to = flat(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((name) => JSON.stringify(from.get(name)) !== JSON.stringify(to.get(name)))
    .map((name) => ({ name, from: from.get(name), to: to.get(name) }))
    .filter(({ name, from: was, to: is }) => was !== undefined || (is !== null && !told.includes(name)));
}

function flat(state: State, prefix = ""): Map<string, unknown> {
  const parts = Object.entries(state ?? {}).flatMap(([name, value]): [string, unknown][] =>
    isState(value) ? [...flat(value, `${prefix}${name}.`)] : [[`${prefix}${name}`, value]],
  );
  return new Map(parts);
}

function isState(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as people write it. */
export function said(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.map(said).join(", ");
  if (typeof value === "number") return value.toLocaleString("en");
  return typeof value === "string" ? value : JSON.stringify(value);
}
