import { flatShape, tryParseJson } from "../../domain/json.ts";
import { FileError, type ReadableContent } from "./content.ts";
import type { Line } from "./input.ts";

// A JSON document, or a list of objects in JavaScript, that is given as NDJSON: of its lines the last element alone could be imported.

/** Whether a line begins as a JSON array or object does. */
export function isJson({ bytes }: Line): boolean {
  return /^\s*[[{]/.test(Buffer.from(bytes).toString("latin1"));
}

/** The bytes at the beginning of a line that are examined. */
const MOST_EXAMINED = 4 * 1024;
const OBJECT_IN_LIST = /[[,]\s*\{/;

/** By the outline of a line: what joins the lines of a document, and a line of NDJSON never has. */
const JOINTS = [
  /^[\]}]/, // closes what an earlier line opened
  /^,[[{vlw]/, // goes on with the next element
  /^[^{]*[vlw],(?:$|[[{vlw/])/, // a comma behind an element
  /^s:.*,$/, // a member, and a comma
  /^[^[{]*l/, // an array of objects
];
const ARRAY_OF_OBJECTS = /^\[\s*\{/;
/** An object with an array of objects in it, to its end or as far as the line is examined. */
const WRAPPER = /^(?:w$|\{.*\[[vlw])/;
/** Opens what later lines go on with, if there are any: the last line of a file may be cut off. */
const OPENING = /^(?:[^[{]*[[{]){1,8}$/;

/** Refuses a file whose lines are parts of one JSON document. */
export class JsonDocument<Item> {
  readonly #content: ReadableContent<Item>;
  readonly #fromLine: number;
  #isBegun = false;
  #opening: Line | undefined;

  /** Of the lines before `fromLine` only the first one counts. */
  constructor(content: ReadableContent<Item>, fromLine: number) {
    this.#content = content;
    this.#fromLine = fromLine;
  }

  /** Adds the next line that is not blank. @throws FileError when it shows a document */
  add(line: Line): void {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    if (this.#opening !== undefined) throw refusal(this.#opening);
    if (!isFirst && line.number < this.#fromLine) return;
    const text = Buffer.from(line.bytes).toString("latin1").trim();
    // What a line of NDJSON mostly is.
    if (!line.isTooLong && text.startsWith("{") && text.endsWith("}") && !OBJECT_IN_LIST.test(text)) return;
    const isCut = line.isTooLong || (!isFirst && text.length > MOST_EXAMINED);
    const head = text.slice(0, MOST_EXAMINED);
    const part = isCut ? head.slice(0, head.lastIndexOf("}") + 1) : text;
    const { outline, ends } = outlineOf(part);
    const isPart =
      ARRAY_OF_OBJECTS.test(text) ||
      JOINTS.some((joint) => joint.test(outline)) ||
      (isFirst && !isCut && goesOn(text, ends)) ||
      (WRAPPER.test(outline) && this.#isWrapper(line.isTooLong ? part + ends : text));
    if (isPart) throw refusal(line);
    if (OPENING.test(outline)) this.#opening = line;
  }

  /** Whether a text is an object that has none of the members of an item. */
  #isWrapper(text: string): boolean {
    const { required } = this.#content;
    const value = parsed(text, required);
    return typeof value === "object" && value !== null && required.every((name) => !(name in value));
  }
}

/** The value of a text, with these members of an object, or undefined if it is not JSON. */
function parsed(text: string, members: readonly string[] = []): unknown {
  const result = tryParseJson(Buffer.from(text, "latin1"), flatShape(members));
  return "value" in result ? result.value : undefined;
}

/** Whether a text is the beginning of a JSON document, which the next lines continue. */
function goesOn(text: string, ends: string): boolean {
  if (ends === "" || !/^[[{]/.test(text)) return false;
  // What may follow completes it: nothing after a value or a bracket, a value after a colon or a comma.
  return ["", "null", '"":null', ":null"].some((next) => parsed(text + next + ends) !== undefined);
}

function refusal({ number }: Line): FileError {
  return new FileError(
    `The file is a JSON document (line ${number}), not NDJSON, which has one object per line. To convert an array, run: jq -c '.[]' FILE`,
  );
}

const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}" };

/**
 * The structure of a text: `s` for a string, `o` for another value or an array of values, `v` for an object, `l` for an array with an
 * object in it, `w` for an object with such an array in it; and what is not closed or opened on this line, which `ends` would close.
 * It is empty if a string is not closed.
 */
function outlineOf(text: string): { outline: string; ends: string } {
  let top = { bracket: "", inner: "" };
  const open = [top];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|["[\]{},:/]|[^\s"[\]{},:/]+/g)) {
    if (token === '"') return { outline: "", ends: "" };
    if (token === "[" || token === "{") {
      top = { bracket: token, inner: "" };
      open.push(top);
    } else if (token === CLOSING[top.bracket]) {
      open.pop();
      const { bracket, inner } = top;
      top = open.at(-1) ?? top;
      top.inner += kindOf(bracket, inner);
    } else if (/^[\]},:/]/.test(token)) top.inner += token;
    else top.inner += token.startsWith('"') ? "s" : "o";
  }
  return {
    outline: open.map(({ bracket, inner }) => bracket + inner).join(""),
    ends: open
      .map(({ bracket }) => CLOSING[bracket] ?? "")
      .toReversed()
      .join(""),
  };
}

function kindOf(bracket: string, inner: string): string {
  if (bracket === "[") return /[vlw]/.test(inner) ? "l" : "o";
  return /[lw]/.test(inner) ? "w" : "v";
}
