import { LruMap } from "../../domain/lru-map.ts";
import type { Values } from "../sql/sql.ts";

type Numbered = { text: string; names: readonly string[] };

/** By text: there are few, some with hundreds of parameters. */
const known = new LruMap<Numbered>(500);

/** Converts named parameters to PostgreSQL's positional ones: `$1` for the first name in the text, and so on. */
export function numbered(text: string, values: Values) {
  const { text: positional, names } = known.get(text) ?? convert(text);
  return { text: positional, values: names.map((name) => values[name] ?? null) };
}

function convert(text: string): Numbered {
  const numbers = new Map<string, number>();
  const positional = text.replace(/:(\w+)/g, (_, name: string) => {
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return `$${number}`;
  });
  const converted = { text: positional, names: [...numbers.keys()] };
  known.set(text, converted);
  return converted;
}
