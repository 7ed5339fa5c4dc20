import { z } from "zod";
import { PetstoreError } from "./errors.ts";
import { int64Of } from "./int64.ts";

declare global {
  interface JSON {
    /** Returns a value that JSON.stringify writes as this text (ECMAScript proposal, available in both runtimes). */
    rawJSON(text: string): unknown;
    /** Whether a value is one that rawJSON has returned. */
    isRawJSON(value: object): boolean;
  }
}

/**
 * The parts of a JSON value that are kept: of an object the members that have a shape, by the hash of their key, and of an
 * array the items if they have one. A key with the same hash as a member's is kept too.
 */
export type Shape = {
  member: (hash: number) => Shape | undefined;
  item: Shape | undefined;
  /** The keys of the members, where they are all that a client may send. */
  names?: readonly string[];
};

/** Called with the path of each member that its object's shape does not name, and the names that it has. */
export type OnUnknown = (path: string[], names: readonly string[]) => void;

export const WHOLE: Shape = {
  member: () => WHOLE,
  get item() {
    return WHOLE;
  },
};

/** The value of a text, or what is wrong with the text, such as "is not valid JSON". */
type Result = { value: unknown } | { problem: string };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the value of a JSON number. */
type ReadNumber = (token: string) => unknown;

/**
 * Parses a JSON text (RFC 8259). Integers within int64 become bigints, other numbers become numbers, unless `readNumber` makes
 * another value of them. `subject` names the text in messages. What `shape` leaves out is checked alike.
 * @throws invalid_json when it is not UTF-8 or not JSON, has duplicate keys or more than 32 levels
 */
export function parseJson(
  bytes: Uint8Array,
  subject = "The text",
  shape = WHOLE,
  onUnknown?: OnUnknown,
  readNumber?: ReadNumber,
): unknown {
  const result = tryParseJson(bytes, shape, onUnknown, readNumber);
  if ("value" in result) return result.value;
  throw new PetstoreError("invalid_json", { message: `${subject} ${result.problem}.` });
}

/** The same for text, such as this service has stored. @throws invalid_json when it is not JSON */
export function parseJsonText(text: string): unknown {
  return parseJson(new TextEncoder().encode(text));
}

/** The same without an error, which takes some kilobytes: a file may have a million invalid lines. */
export function tryParseJson(
  bytes: Uint8Array,
  shape: Shape,
  onUnknown?: OnUnknown,
  readNumber: ReadNumber = numberOf,
): Result {
  const text = decode(bytes);
  if (text === undefined) return { problem: "is not valid UTF-8" };
  try {
    return { value: new Parser(text, onUnknown, readNumber).parse(shape) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: problemOf(text, error) };
  }
}

/** JSON.stringify with bigints, which are written as plain digits. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // At the first bigint. A replacer takes five times as long.
    return JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? exactInteger(item) : item), indent);
  }
}

/** Returns a value that JSON.stringify writes as exactly this integer. */
export function exactInteger(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function problemOf(text: string, error: SyntaxError): string {
  if (text.startsWith("\uFEFF")) return "begins with a byte order mark: leave it out";
  return text.trim() === "" ? "is empty" : error.message;
}

const MAX_DEPTH = 32;
/** One for all: a file may have a million invalid lines, and each error would take a kilobyte. */
const INVALID = new SyntaxError("is not valid JSON");

/** A number or a literal name (RFC 8259, 3 and 6). */
const NUMBER_OR_NAME = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** An escape in a string, or a backslash that does not begin one (RFC 8259, 7). */
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|(["\\/bfnrt]))?/g;
const CONTROL_CHARACTERS = new Map(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses one JSON text in one pass. JSON.parse does not fit: it loses digits, keeps the last of two equal keys, and on Bun
 * hashes strings without a seed, so that 64 KiB of keys with equal hashes take 25 ms. Therefore no string of the text goes
 * through JSON.parse, names a property or is looked up in a Map, unless `shape` keeps it. Errors are SyntaxErrors whose
 * message follows on the name of the text.
 */
class Parser {
  readonly #text: string;
  readonly #onUnknown: OnUnknown | undefined;
  readonly #readNumber: ReadNumber;
  /** Where the value is, for `onUnknown`. */
  readonly #path: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string, onUnknown: OnUnknown | undefined, readNumber: ReadNumber) {
    this.#text = text;
    this.#onUnknown = onUnknown;
    this.#readNumber = readNumber;
  }

  /** @throws SyntaxError */
  parse(shape: Shape): unknown {
    const value = this.#value(shape);
    if (this.#next() !== undefined) throw INVALID;
    return value;
  }

  /** Without a shape, an array or an object is left empty, and a number or a name is undefined. */
  #value(shape: Shape | undefined): unknown {
    switch (this.#next()) {
      case "{":
        return this.#object(shape);
      case "[":
        return this.#array(shape);
      case '"':
        return this.#string();
      default: {
        const token = this.#numberOrName();
        return shape && this.#scalar(token);
      }
    }
  }

  #valueAt(key: string, shape: Shape | undefined): unknown {
    if (this.#onUnknown === undefined || shape === undefined) return this.#value(shape);
    this.#path.push(key);
    const value = this.#value(shape);
    this.#path.pop();
    return value;
  }

  #object(shape: Shape | undefined): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#open();
    if (this.#closes("}")) return object;
    const keys = new Map<number, string>();
    do {
      if (this.#next() !== '"') throw INVALID;
      const key = this.#string();
      const hash = keyHash(key);
      if (!addKey(keys, hash, key)) throw new SyntaxError("names a key twice in one object");
      if (!this.#skips(":")) throw INVALID;
      const member = shape?.member(hash);
      const value = this.#valueAt(key, member);
      if (member === undefined && shape?.names !== undefined) this.#onUnknown?.([...this.#path, key], shape.names);
      if (member !== undefined) define(object, key, value);
    } while (this.#skips(","));
    if (!this.#closes("}")) throw INVALID;
    return object;
  }

  #array(shape: Shape | undefined): unknown[] {
    const array: unknown[] = [];
    const item = shape?.item;
    this.#open();
    if (this.#closes("]")) return array;
    do {
      const value = this.#valueAt(String(array.length), item);
      if (item !== undefined) array.push(value);
    } while (this.#skips(","));
    if (!this.#closes("]")) throw INVALID;
    return array;
  }

  #open(): void {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError(`is nested deeper than ${MAX_DEPTH} levels`);
  }

  #closes(end: "}" | "]"): boolean {
    const closes = this.#skips(end);
    if (closes) this.#depth -= 1;
    return closes;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    let at = start;
    let isEscaped = false;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code === BACKSLASH) {
        isEscaped = true;
        at += 1;
      } else if (!(code >= SPACE)) throw INVALID;
    }
    this.#at = at + 1;
    const content = text.slice(start, at);
    // A concatenation would be hashed in any case, once Bun has compiled it for the name of a property.
    return isEscaped ? content.replace(ESCAPE, unescaped) : content;
  }

  #numberOrName(): string {
    const start = this.#at;
    NUMBER_OR_NAME.lastIndex = start;
    if (!NUMBER_OR_NAME.test(this.#text)) throw INVALID;
    this.#at = NUMBER_OR_NAME.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #scalar(token: string): unknown {
    switch (token) {
      case "true":
        return true;
      case "false":
        return false;
      case "null":
        return null;
      default:
        return this.#readNumber(token);
    }
  }

  /** Skips `character` if it is the next one. */
  #skips(character: string): boolean {
    const skips = this.#next() === character;
    if (skips) this.#at += 1;
    return skips;
  }

  /** Skips white space. Returns the character that follows; undefined at the end. */
  #next(): string | undefined {
    for (;;) {
      const character = this.#text[this.#at];
      if (character !== " " && character !== "\n" && character !== "\r" && character !== "\t") return character;
      this.#at += 1;
    }
  }
}

/** What an escape stands for, as a replacement of ESCAPE. */
function unescaped(_: string, digits: string | undefined, letter: string | undefined): string {
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (letter === undefined) throw INVALID;
  return CONTROL_CHARACTERS.get(letter) ?? letter;
}

/** An assignment to `__proto__` would set the prototype. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Begins each hash, so that no client can choose keys with equal hashes. */
const [SEED = 0] = crypto.getRandomValues(new Uint32Array(1));
/** FNV-1a, 32 bits. */
const PRIME = 0x01000193;

export function keyHash(key: string): number {
  let hash = SEED;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), PRIME);
  return hash;
}

/** Adds a key under its hash, or if another key has it, under the next number that is free. Returns false if it is there. */
function addKey(keys: Map<number, string>, hash: number, key: string): boolean {
  let place = hash;
  for (let other = keys.get(place); other !== undefined; other = keys.get(++place)) if (other === key) return false;
  keys.set(place, key);
  return true;
}

/**
 * Decimals of up to so many digits are all different as numbers (IEEE 754, binary64): a shorter one is an integer
 * exactly when its number is one.
 */
export const EXACT_DIGITS = 15;

const INT64_EDGE = 2 ** 63;
/** Not a number too close to zero to differ from it, such as 1e-400. */
const IS_ZERO = /^[-0.]+(?:[eE]|$)/;

/** The value of a JSON number: an int64 as a bigint, exact to the digit, and any other as JSON.parse has it. */
export function numberOf(token: string): bigint | number {
  const number = Number(token);
  if (number === 0) return IS_ZERO.test(token) ? 0n : number;
  if (!Number.isInteger(number) || Math.abs(number) > INT64_EDGE) return number;
  if (token.length > EXACT_DIGITS) return int64Of(token) ?? number;
  // So few digits come back from their number, which is written without an exponent below 1e21 (ECMA-262, 6.1.6.1.20).
  return BigInt(Number.isSafeInteger(number) ? number : String(number));
}

/** An array or an object in its place is left empty. */
const SCALAR: Shape = { member: () => undefined, item: undefined };

/** The parts that a schema reads. From them alone it has the same result: it ignores what it does not name. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return shapeOf(schema.def.innerType);
  }
  // What is transformed afterwards.
  if (schema instanceof z.ZodPipe) return shapeOf(schema.def.in);
  if (schema instanceof z.ZodArray) return { ...SCALAR, item: shapeOf(schema.element) };
  if (!(schema instanceof z.ZodObject)) return SCALAR;
  return withMembers(Object.entries(schema.shape).map(([key, member]) => [key, shapeOf(member)]));
}

/** The members of an object that have these keys and are neither arrays nor objects. */
export function flatShape(keys: readonly string[]): Shape {
  return withMembers(keys.map((key) => [key, SCALAR]));
}

/** An object with these members. */
export function withMembers(members: [key: string, shape: Shape][]): Shape {
  const shapes = new Map(members.map(([key, shape]) => [keyHash(key), shape]));
  return { ...SCALAR, member: (hash) => shapes.get(hash), names: members.map(([key]) => key) };
}
