import { variables } from "./config-variables.ts";

const PREFIX = "PETSTORE_";
/** Kubernetes and Docker set such variables for a service named petstore, PETSTORE_PORT among them. */
const SERVICE_LINK = /^(tcp|udp):\/\//;

/**
 * Returns the variables of the environment that begin with PETSTORE_ and have almost the name of a setting, each with the
 * closest one. Empty ones count as not set. Other programs, such as clients of the service, have variables of their own.
 */
export function misspeltVariables(
  environment: Record<string, string | undefined>,
): { name: string; closest: string }[] {
  const known = variables.map(({ name }) => name);
  return Object.entries(environment).flatMap(([name, value = ""]) => {
    const isOther = !name.startsWith(PREFIX) || known.includes(name);
    if (isOther || value.trim() === "" || SERVICE_LINK.test(value)) return [];
    const word = wordOf(name);
    const [closest] = known
      .map((setting) => ({ setting, distance: distanceBetween(word, wordOf(setting)) }))
      .filter(({ distance }) => distance <= Math.max(2, word.length / 3))
      .sort((a, b) => a.distance - b.distance);
    return closest === undefined ? [] : [{ name, closest: closest.setting }];
  });
}

/** A name without the prefix, which some settings have and others do not. */
function wordOf(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** The number of characters to insert, remove or replace that make `a` into `b` (Levenshtein). */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (character === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
