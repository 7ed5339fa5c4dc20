import { textOf, type Word, wordsIn } from "./shell.ts";

/** A request as a command of curl sends it, and what the command shows of the response. */
export type Call = {
  method: string;
  url: Word;
  headers: [name: string, value: Word][];
  body: Word | undefined;
  /** The body; the status; the status, the headers and the body; the id in the body, or in its first item. */
  shows: "body" | "status" | "response" | "id" | "firstId";
  /** Whether the response is not a 2xx. */
  isRefused: boolean;
};

const ASSIGNMENT = /^\w+=\$\((?<command>curl [\s\S]*) \| jq '?(?<filter>\.id|\.\[0\]\.id)'?\)$/;
const REFUSAL = /^HTTP\/\S+ [345]|^[345]\d\d$|^\{"code":"/m;

/**
 * The request of a command, which prints this; undefined if the command is not a single request by curl with the reader's
 * key or none.
 */
export function callIn(command: string, output: string): Call | undefined {
  const { command: assigned, filter } = ASSIGNMENT.exec(command.trim())?.groups ?? {};
  const [program, ...words] = wordsIn(assigned ?? command) ?? [];
  if (program === undefined || textOf(program) !== "curl") return undefined;
  const call: Call = {
    method: "",
    url: [],
    headers: [],
    body: undefined,
    shows: filter === undefined ? "body" : filter === ".id" ? "id" : "firstId",
    isRefused: REFUSAL.test(output),
  };
  while (words.length > 0) if (!isTaken(call, words.shift() ?? [], words)) return undefined;
  if (call.url.length === 0 || idsIn(call).some((name) => /^[A-Z]/.test(name))) return undefined;
  return { ...call, method: call.method || (call.body === undefined ? "GET" : "POST") };
}

/** Adds an argument of curl to the call; its value is the first of `rest`. False if there is no translation of it. */
function isTaken(call: Call, argument: Word, rest: Word[]): boolean {
  const option = textOf(argument);
  if (option === undefined || !option.startsWith("-")) {
    if (call.url.length > 0) return false;
    call.url = argument;
    return true;
  }
  if (/^-[sif]+$/.test(option)) {
    if (option.includes("i")) call.shows = "response";
    return true;
  }
  const value = rest.shift() ?? [];
  const text = textOf(value);
  if (option === "-X" && text !== undefined) call.method = text;
  else if (option === "-H") return hasHeader(call, value);
  else if (option === "-d") call.body = value;
  else if (option === "-w" && text === "%{http_code}\\n") call.shows = "status";
  else return option === "-o" && text === "/dev/null";
  return true;
}

function hasHeader(call: Call, [head, ...others]: Word): boolean {
  const { name, start } = (typeof head === "string" && /^(?<name>[\w-]+): (?<start>[\s\S]*)$/.exec(head)?.groups) || {};
  if (name === undefined || start === undefined) return false;
  call.headers.push([name, start === "" ? others : [start, ...others]]);
  return true;
}

/** The variable that has the key. A program finds it in its environment, under the same name. */
export const KEY = "KEY";

/** The variables of a call other than the key: ids that the reader has from the response to another call. */
export function idsIn({ url, headers, body = [] }: Call): string[] {
  const parts = [...url, ...headers.flatMap(([, value]) => value), ...body];
  const names = parts.flatMap((part) => (typeof part === "string" || part.variable === KEY ? [] : [part.variable]));
  return [...new Set(names)];
}
