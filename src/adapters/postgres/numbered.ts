import type { Values } from "../sql/sql.ts";

/** Converts named parameters to PostgreSQL's positional ones: `$1` for the first name in the text, and so on. */
export function numbered(text: string, values: Values) {
  const names: string[] = [];
  const positional = text.replace(/:(\w+)/g, (_, name: string) => {
    const index = names.indexOf(name);
    return `$${index === -1 ? names.push(name) : index + 1}`;
  });
  return { text: positional, values: names.map((name) => values[name] ?? null) };
}
