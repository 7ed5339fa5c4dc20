/** A block of code in a document: the line it begins at, its language and its text. */
export type Block = { line: number; language: string; text: string };

const FENCED = /^```(\S*)\n(.*?)^```$/gms;

export function blocksIn(markdown: string): Block[] {
  return [...markdown.matchAll(FENCED)].map(({ 1: language = "", 2: text = "", index }) => ({
    line: markdown.slice(0, index).split("\n").length,
    language,
    text,
  }));
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

/** What a program in TypeScript says that it prints: in comments behind `console.log`, a line each. */
export function printedBy({ text }: Block): string {
  return [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`).join("");
}

/** Between hops, and so of no interest to who reads the answer. */
const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding): /;

/** An output without what differs from one run to the next, and from one runtime to the other. */
export function comparable(output: string): string {
  const text = output
    .replaceAll("\r", "")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<request id>")
    .replace(/^(Date|X-RateLimit-Reset): .*/gim, "$1: <moment>")
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
