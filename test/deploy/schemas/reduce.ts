#!/usr/bin/env bun
// Reduces a JSON schema to what the tests need, from standard input to standard output: only the definitions that are
// reachable from the named ones, without texts for readers, and with closed objects, so that a misspelled field is
// invalid. README.md beside this file has the commands.
import { z } from "zod";

/** Keywords that validate nothing. */
const TEXTS = ["description", "title", "default", "examples", "deprecated", "$id", "$schema"];

const Definitions = z.record(z.string(), z.unknown());
type Definitions = z.infer<typeof Definitions>;
const Document = z.looseObject({ $defs: Definitions.optional(), definitions: Definitions.optional() });

/** A schema without texts; `isNames` if its keys are the names of properties. */
function withoutTexts(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutTexts(item));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema)
    .filter(([key]) => isNames || !(TEXTS.includes(key) || key.startsWith("x-")))
    .map(([key, value]): [string, unknown] => [key, withoutTexts(value, !isNames && key === "properties")]);
  const isOpen = !isNames && "properties" in schema && !("additionalProperties" in schema) && !isPart(schema);
  return Object.fromEntries(isOpen ? [...entries, ["additionalProperties", false]] : entries);
}

/** Whether it is a part of an `allOf`, which is closed as a whole: such parts have no type, or allow extensions. */
function isPart(schema: object): boolean {
  return !("type" in schema) || "patternProperties" in schema;
}

/** The names of definitions to which the schema refers. */
function referred(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"[^"]*\/([^"/]+)"/g)].map(([, name = ""]) => name);
}

const [comment = "", ...roots] = process.argv.slice(2);
const document = Document.parse(JSON.parse(await Bun.stdin.text()));
const { $defs, definitions, ...root } = document;
const known = $defs ?? definitions ?? {};
const kept: Definitions = {};
const waiting = [...roots, ...referred(root)];
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (name in kept) continue;
  if (!(name in known)) throw new Error(`There is no definition ${name}.`);
  kept[name] = withoutTexts(known[name]);
  waiting.push(...referred(kept[name]));
}
const sorted = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const reduced = roots.length > 0 ? {} : Object(withoutTexts(root));
console.log(JSON.stringify({ $comment: comment, ...reduced, [$defs === undefined ? "definitions" : "$defs"]: sorted }));
