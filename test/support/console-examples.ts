import { spawnSync } from "node:child_process";

/** A command that a document shows, and what it says is printed. */
export type Example = { command: string; output: string };

const BLOCK = /^```console\n(.*?)^```$/gms;

/** The examples of a document, in order: in its `console` blocks, each line after `$ ` begins one, `\` continues it. */
export function examplesIn(markdown: string): Example[] {
  return [...markdown.matchAll(BLOCK)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const end = /(?<!\\)\n/.exec(text)?.index ?? text.length;
        return { command: text.slice(0, end), output: text.slice(end + 1) };
      }),
  );
}

/** What a command prints, with these variables in its environment. */
export function run(command: string, env: Record<string, string>): string {
  return spawnSync("sh", ["-c", command], { encoding: "utf8", env: { PATH: process.env.PATH, ...env } }).stdout;
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
