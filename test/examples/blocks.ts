/** A block of code in a document: the line it begins at, its language and its text, and what it prints: a `text` block below. */
export type Block = { line: number; language: string; text: string; prints: string };

const FENCED = /^```(\S*)\n(.*?)^```$/gms;

export function blocksIn(markdown: string): Block[] {
  const all = [...markdown.matchAll(FENCED)];
  return all.map(({ 1: language = "", 2: text = "", index }, i) => ({
    line: markdown.slice(0, index).split("\n").length,
    language,
    text,
    prints: all[i + 1]?.[1] === "text" ? (all[i + 1]?.[2] ?? "") : "",
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
