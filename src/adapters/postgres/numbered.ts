import type { Values } from "../sql/sql.ts";

/** A statement with named parameters as PostgreSQL takes it: `$1` in place of the first name, and so on. */
export function numbered(text: string, values: Values) {
  const names = Object.keys(values);
  return {
    text: text.replace(/:(\w+)/g, (_, name: string) => `$${names.indexOf(name) + 1}`),
    values: Object.values(values),
  };
}
