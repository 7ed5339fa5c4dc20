/** A piece of a word: text, or the name of a variable. */
type Part = string | { variable: string };
/** A word of a command, without its quotes. */
export type Word = Part[];

const PIECE = /(?<space>(?:\s|\\\n)+)|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|(?<bare>[^\s'"\\]+)/gy;
const EXPANDED = /\\(?<escaped>["\\$`])|\$(?<variable>\w+)|[^\\$]+|[\s\S]/g;

/** The words of a simple command; undefined if it contains more than words, quotes and variables. */
export function wordsIn(command: string): Word[] | undefined {
  const words: Word[] = [];
  let isWithin = false;
  let end = 0;
  for (const { 0: piece, groups: { space, single, double, bare } = {}, index } of command.matchAll(PIECE)) {
    end = index + piece.length;
    if (space === undefined && !isWithin) words.push([]);
    isWithin = space === undefined;
    if (isWithin) words.at(-1)?.push(...(single === undefined ? expanded(double ?? bare ?? "") : [single]));
  }
  return end === command.length ? words.map(joined) : undefined;
}

function expanded(text: string): Part[] {
  return [...text.matchAll(EXPANDED)].map(({ 0: piece, groups: { escaped, variable } = {} }) =>
    variable === undefined ? (escaped ?? piece) : { variable },
  );
}

/** The same word, with neighbouring texts as one. */
function joined(word: Word): Word {
  const parts: Word = [];
  for (const part of word) {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

/** The text of a word without variables; undefined if it has some. */
export function textOf(word: Word): string | undefined {
  const [text = "", ...others] = word;
  return typeof text === "string" && others.length === 0 ? text : undefined;
}

/** How wide the first line of a command may be. */
const COLUMNS = 76;

/** A command of curl with each header and the body on a line of its own. */
export function brokenIntoLines(command: string): string {
  const words = command.replaceAll(/\s*\\\n\s*/g, " ").match(/(?:[^\s'"]|'[^']*'|"(?:\\[\s\S]|[^"\\])*")+/g) ?? [];
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1) ?? "";
    const isLong = lines.length === 1 && line.length + word.length > COLUMNS && /^"?http/.test(word);
    if (["-H", "-d", "|"].includes(word) || isLong) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(" \\\n");
}

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

/** A value in JSON, or in the place of one a variable. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value } | Variable;

export class Variable {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for a variable while a body is parsed. No name of a pet contains it. */
const MARK = "\u0000";

/** A body as a value; undefined if it is not JSON, or has integers that not every language keeps. */
export function jsonOf(body: Word): Value | undefined {
  const text = body.map((part) => (typeof part === "string" ? part : JSON.stringify(MARK + part.variable))).join("");
  if (/\d{16}/.test(text)) return undefined;
  try {
    return JSON.parse(text, (_key, value) =>
      typeof value === "string" && value.startsWith(MARK) ? new Variable(value.slice(MARK.length)) : value,
    );
  } catch {
    return undefined;
  }
}
