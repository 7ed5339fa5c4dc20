import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT } from "./package.ts";

/** A program in the README, the heading above it, and its quoted output. */
export type Example = { heading: string; program: string; output: string };

const BLOCKS = /^## ([^\n]*)$|^```ts\n(.*?)^```\n\n```text\n(.*?)^```$/gms;

/** Every program in the README, in order. */
export function readmeExamples(): Example[] {
  const text = readFileSync(join(CLIENT, "README.md"), "utf8");
  let heading = "";
  const examples: Example[] = [];
  for (const [, title, program, output] of text.matchAll(BLOCKS)) {
    if (title !== undefined) heading = title;
    else if (program !== undefined && output !== undefined) examples.push({ heading, program, output });
  }
  const programs = text.split("```ts\n").length - 1;
  if (examples.length !== programs) throw new Error(`${programs - examples.length} programs have no output below them`);
  return examples;
}
