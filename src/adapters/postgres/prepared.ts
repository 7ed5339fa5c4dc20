import { hash } from "node:crypto";

const names = new Map<string, string>();

/** Returns the statement with a name of its own, under which each connection prepares it once. */
export function prepared(text: string): { name: string; text: string } {
  const name = names.get(text) ?? `petstore_${hash("sha256", text, "hex").slice(0, 16)}`;
  names.set(text, name);
  return { name, text };
}
