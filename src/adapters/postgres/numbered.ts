import type { Values } from "../sql/sql.ts";

/** Converts named parameters to PostgreSQL's positional ones: `$1` for the first name, and so on. */
export function numbered(text: string, values: Values) {
  const names = Object.keys(values);
  return {
    text: text.replace(/:(\w+)/g, (_, name: string) => `$${names.indexOf(name) + 1}`),
    values: Object.values(values),
  };
}
