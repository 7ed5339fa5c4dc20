import { type Call, idsIn, jsonOf, KEY, textOf, type Value, Variable, type Word } from "./call.ts";

/** A program in Python 3.9 or newer that makes the call with the standard library, and prints what its response shows. */
export function pythonOf(call: Call): string {
  const { method, url, headers, body, isRefused } = call;
  const hasValue = body !== undefined && jsonOf(body) !== undefined;
  const imports = [
    ...(hasValue || call.shows.endsWith("d") ? ["import json"] : []),
    ...(headers.some(([, value]) => hasKey(value)) ? ["import os"] : []),
    ...(isRefused ? ["from urllib.error import HTTPError"] : []),
    "from urllib.request import Request, urlopen",
  ];
  const options = [
    stringOf(url),
    ...(method === "GET" ? [] : [`method=${JSON.stringify(method)}`]),
    ...headerLines(headers),
    ...(body === undefined ? [] : [`data=${bodyOf(body)}.encode()`]),
  ];
  const request =
    options.length === 1 ? options[0] : `\n${options.map((line) => `    ${line},\n`).join("")}`.replaceAll("{,", "{");
  const ids = idsIn(call).map((name) => `${name} = 1\n`);
  const known = ids.length === 0 ? "" : `# From the response above.\n${ids.join("")}\n`;
  return `${imports.join("\n")}\n\n${known}request = Request(${request})\n${shown(call)}`;
}

/** Reads the response. `urlopen` raises every response but a 2xx as an error, which has the same methods. */
function shown({ shows, isRefused }: Call): string {
  const name = isRefused ? "error" : "response";
  const lines = SHOWN[shows].map((line) => `    ${line.replaceAll("it", name)}\n`).join("");
  return isRefused
    ? `try:\n    urlopen(request)\nexcept HTTPError as error:\n${lines}`
    : `with urlopen(request) as response:\n${lines}`;
}

const SHOWN: Record<Call["shows"], string[]> = {
  body: ["print(it.read().decode())"],
  status: ["print(it.status)"],
  response: ["print(it.status, it.reason)", 'print(it.headers, end="")', "print(it.read().decode())"],
  id: ['print(json.load(it)["id"])'],
  firstId: ['print(json.load(it)[0]["id"])'],
};

const hasKey = (word: Word) => word.some((part) => typeof part !== "string" && part.variable === KEY);

function headerLines(headers: Call["headers"]): string[] {
  const lines = headers.map(([name, value]) => `"${name}": ${stringOf(value)}`);
  if (lines.length < 2) return lines.map((line) => `headers={${line}}`);
  return ["headers={", ...lines.map((line) => `    ${line}`), "}"];
}

function bodyOf(body: Word): string {
  const value = jsonOf(body);
  return value === undefined ? stringOf(body) : `json.dumps(${literal(value)})`;
}

function literal(value: Value): string {
  if (value instanceof Variable) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const items = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item)}`);
  return `{${items.join(", ")}}`;
}

function stringOf(word: Word): string {
  const text = textOf(word);
  if (text !== undefined) return text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text);
  const parts = word.map((part) => {
    if (typeof part === "string") return JSON.stringify(part).slice(1, -1).replace(/[{}]/g, "$&$&");
    return part.variable === KEY ? "{os.environ['KEY']}" : `{${part.variable}}`;
  });
  return `f"${parts.join("")}"`;
}
