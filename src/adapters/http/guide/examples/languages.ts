import { brokenIntoLines, callIn } from "./call.ts";
import { goOf } from "./go.ts";
import { pythonOf } from "./python.ts";
import { typescriptOf } from "./typescript.ts";

/** The same example in one of several languages; `name` is what its tab shows, `language` that of the code. */
export type Variant = { name: string; language: string; text: string };

/** The languages of examples, by the language of their blocks in Markdown, in the order of their tabs. */
export const LANGUAGES: Record<string, string> = { sh: "curl", ts: "TypeScript", python: "Python", go: "Go" };

/** A command of curl, and programs that make the same call; undefined if the command is not a single request. */
export function variantsOf(command: string, output: string): Variant[] | undefined {
  const call = callIn(command, output);
  if (call === undefined) return undefined;
  const texts = { sh: brokenIntoLines(command), ts: typescriptOf(call), python: pythonOf(call), go: goOf(call) };
  return Object.entries(texts).map(([language, text]) => ({ name: LANGUAGES[language] ?? "", language, text }));
}
