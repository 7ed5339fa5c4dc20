import {
  ARRAY,
  ARRAY_END,
  BACKSLASH,
  COLON,
  COMMA,
  LARGE_E,
  MINUS,
  NEWLINE,
  NINE,
  OBJECT,
  OBJECT_END,
  PLUS,
  POINT,
  QUOTE,
  RETURN,
  SMALL_E,
  SMALL_F,
  SMALL_N,
  SMALL_T,
  SPACE,
  TAB,
  ZERO,
} from "./characters.ts";
import { KeyTable } from "./key-table.ts";
import { numberOf } from "./number.ts";
import type { Shape } from "./shape.ts";
import { escapedUnit, escapeLength, stringOf } from "./string-literal.ts";

const MAX_DEPTH = 32;
/** One for all: a file may have a million invalid lines, and each error would take a kilobyte. */
const INVALID = new SyntaxError("is not valid JSON");

/**
 * Parses one JSON text as JSON.parse does, in one pass, but for integers, nesting and duplicate keys. JSON.parse gives
 * a number's own digits to a reviver only, which takes up to seventy times as long as JSON.parse alone. What `shape` does
 * not keep is checked, but not built, which would take most of the time. Errors are SyntaxErrors, whose message follows on
 * the name of the text.
 */
export class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #keys: KeyTable;

  constructor(text: string) {
    this.#text = text;
    this.#keys = new KeyTable(text);
  }

  /** @throws SyntaxError */
  parse(shape: Shape): unknown {
    const value = this.#value(shape);
    this.#skipWhiteSpace();
    if (this.#at < this.#text.length) throw INVALID;
    return value;
  }

  /** Returns undefined without a shape. */
  #value(shape: Shape | undefined): unknown {
    switch (this.#skipWhiteSpace()) {
      case QUOTE:
        return this.#string(shape !== undefined);
      case OBJECT:
        return this.#object(shape);
      case ARRAY:
        return this.#array(shape);
      case SMALL_T:
        return this.#word("true", true);
      case SMALL_F:
        return this.#word("false", false);
      case SMALL_N:
        return this.#word("null", null);
      default:
        return this.#number(shape !== undefined);
    }
  }

  #object(shape: Shape | undefined): Record<string, unknown> | undefined {
    const object: Record<string, unknown> | undefined = shape && {};
    const place = this.#at;
    this.#open();
    if (!this.#closes(OBJECT_END)) {
      do {
        if (this.#skipWhiteSpace() !== QUOTE) throw INVALID;
        const start = this.#at;
        this.#skipString();
        const end = this.#at;
        const hash = this.#keys.add(place, start, end);
        if (hash === undefined) throw new SyntaxError("names a key twice in one object");
        if (this.#skipWhiteSpace() !== COLON) throw INVALID;
        this.#at += 1;
        const member = shape?.member(hash);
        const value = this.#value(member);
        if (object !== undefined && member !== undefined) define(object, stringOf(this.#text, start, end), value);
      } while (this.#continues(OBJECT_END));
    }
    return object;
  }

  #array(shape: Shape | undefined): unknown[] | undefined {
    const array: unknown[] | undefined = shape && [];
    const item = shape?.item;
    this.#open();
    if (!this.#closes(ARRAY_END)) {
      do {
        const value = this.#value(item);
        if (item !== undefined) array?.push(value);
      } while (this.#continues(ARRAY_END));
    }
    return array;
  }

  #open(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#at += 1;
  }

  /** Skips `end` when it follows. */
  #closes(end: number): boolean {
    if (this.#skipWhiteSpace() !== end) return false;
    this.#at += 1;
    this.#depth -= 1;
    return true;
  }

  /** Skips a comma, or else `end`. */
  #continues(end: number): boolean {
    if (this.#skipWhiteSpace() === COMMA) {
      this.#at += 1;
      return true;
    }
    if (!this.#closes(end)) throw INVALID;
    return false;
  }

  #string(isKept: boolean): string | undefined {
    const start = this.#at;
    this.#skipString();
    return isKept ? stringOf(this.#text, start, this.#at) : undefined;
  }

  #skipString(): void {
    const text = this.#text;
    let at = this.#at + 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code === BACKSLASH) {
        if (escapedUnit(text, at) === undefined) throw INVALID;
        at += escapeLength(text, at) - 1;
      } else if (!(code >= SPACE)) throw INVALID;
    }
    this.#at = at + 1;
  }

  #number(isKept: boolean): bigint | number | undefined {
    const start = this.#at;
    if (this.#code() === MINUS) this.#at += 1;
    if (this.#code() === ZERO) this.#at += 1;
    else this.#skipDigits();
    const code = this.#code();
    if (code === POINT || code === SMALL_E || code === LARGE_E) this.#skipFractionAndExponent();
    return isKept ? numberOf(this.#text.slice(start, this.#at)) : undefined;
  }

  #skipFractionAndExponent(): void {
    if (this.#code() === POINT) {
      this.#at += 1;
      this.#skipDigits();
    }
    if (this.#code() === SMALL_E || this.#code() === LARGE_E) {
      this.#at += 1;
      if (this.#code() === PLUS || this.#code() === MINUS) this.#at += 1;
      this.#skipDigits();
    }
  }

  #skipDigits(): void {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at));
    if (at === start) throw INVALID;
    this.#at = at;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw INVALID;
    this.#at += word.length;
    return value;
  }

  /** Returns the code of what follows; NaN at the end. */
  #skipWhiteSpace(): number {
    let code = this.#code();
    // One comparison is enough for most characters.
    while (code <= SPACE && (code === SPACE || code === NEWLINE || code === RETURN || code === TAB)) {
      this.#at += 1;
      code = this.#code();
    }
    return code;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

/** An assignment to `__proto__` would set the prototype. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
