import { LANGUAGES, variantsOf } from "../../src/adapters/http/guide/examples/languages.ts";

/** A block of code in a document: the line it begins at, its language, its text, and what it prints. */
export type Block = {
  line: number;
  language: string;
  text: string;
  /** The `text` block below it, or below the same program in other languages. */
  prints: string;
  /** Whether the same program in another language is next to it. */
  isVariant: boolean;
};

const FENCED = /^```(\S*)\n(.*?)^```$/gms;

export function blocksIn(markdown: string): Block[] {
  const all = [...markdown.matchAll(FENCED)];
  const isProgram = (at: number) => (all[at]?.[1] ?? "") in LANGUAGES;
  /** Whether nothing is between a block and the next one. */
  const isNext = (at: number) => {
    const [block, next] = [all[at], all[at + 1]];
    if (block === undefined || next === undefined) return false;
    return markdown.slice(block.index + block[0].length, next.index).trim() === "";
  };
  const areVariants = (at: number) => isNext(at) && isProgram(at) && isProgram(at + 1);
  const blocks: Block[] = [];
  for (const [i, { 1: language = "", 2: text = "", index }] of [...all.entries()].reverse()) {
    const below = isNext(i) && all[i + 1]?.[1] === "text" ? (all[i + 1]?.[2] ?? "") : "";
    blocks.unshift({
      line: markdown.slice(0, index).split("\n").length,
      language,
      text,
      prints: areVariants(i) ? (blocks[0]?.prints ?? "") : below,
      isVariant: areVariants(i) || areVariants(i - 1),
    });
  }
  return blocks;
}

/** A program in a document or made from a command in it, and what it prints. */
export type Program = { line: number; language: string; text: string; prints: string };

/** All programs in this language that a reader of the page sees, in order; where there is only a command of curl, that. */
export function programsIn(blocks: Block[], language: string): Program[] {
  return blocks.flatMap((block): Program[] => {
    if (block.language === language && block.language !== "sh") return [{ ...block, language }];
    if (block.isVariant) return [];
    const { line } = block;
    return commandsIn(block).flatMap(({ command, output }): Program[] => {
      const variants = variantsOf(command, output);
      const text = variants?.find((variant) => variant.language === language)?.text;
      if (text !== undefined) return [{ line, language, text, prints: output }];
      const isCall = command.startsWith("curl ") && command.includes("/v1/") && !command.includes("$TOKEN");
      return isCall ? [{ line, language: "sh", text: command, prints: output }] : [];
    });
  });
}

function commandsIn(block: Block): Example[] {
  if (block.language === "sh") return [{ command: block.text.trim(), output: "" }];
  return block.language === "console" ? examplesIn(block) : [];
}

/** A command that a document shows, and what it says is printed. */
export type Example = { command: string; output: string };

/** The examples of a `console` block, in order: each line after `$ ` begins one, `\` continues it. */
export function examplesIn({ text }: Block): Example[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const end = /(?<!\\)\n/.exec(example)?.index ?? example.length;
      return { command: example.slice(0, end), output: example.slice(end + 1) };
    });
}

/** What became of a request, by its output: the status, or the code of an error. Ids, lists and counts may differ. */
export function resultOf(output: string): string {
  const [, status] = /^HTTP\/\S+ (\d+)/.exec(output) ?? /^(\d{3})$/.exec(output.trim()) ?? [];
  const [, code = "a result"] = /"code":"(\w+)"/.exec(output) ?? [];
  return status ?? code;
}

/** Between hops, and so of no interest to who reads the answer. */
const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding): /;

/** An output without what differs from one run to the next, and from one runtime to the other. */
export function comparable(output: string): string {
  const text = output
    .replaceAll("\r", "")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<request id>")
    .replace(/^(Date): \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/gim, "$1: <moment>")
    .replace(/^(X-RateLimit-Reset): \d{10}$/gim, "$1: <seconds since 1970>")
    .replace(/;t=\d+/g, ";t=<seconds>")
    .trim();
  if (!text.startsWith("HTTP/")) return text;
  const end = text.indexOf("\n\n");
  const [status = "", ...headers] = (end === -1 ? text : text.slice(0, end)).split("\n");
  const sorted = headers
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .filter((line) => !HOP_BY_HOP.test(line))
    .sort();
  return [status, ...sorted, "", end === -1 ? "" : text.slice(end + 2)].join("\n");
}
