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
import { EXACT_DIGITS, numberOf } from "./number.ts";

const MAX_DEPTH = 32;

/**
 * Parses one JSON text as JSON.parse does, in one pass, but for integers, nesting and duplicate keys. JSON.parse gives
 * a number's own digits to a reviver only, which takes up to seventy times as long as JSON.parse alone. Errors are
 * SyntaxErrors, whose message follows on the name of the text.
 */
export class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws SyntaxError */
  parse(): unknown {
    const value = this.#value();
    this.#skipWhiteSpace();
    if (this.#at < this.#text.length) throw invalid();
    return value;
  }

  #value(): unknown {
    switch (this.#skipWhiteSpace()) {
      case QUOTE:
        return this.#string();
      case OBJECT:
        return this.#object();
      case ARRAY:
        return this.#array();
      case SMALL_T:
        return this.#word("true", true);
      case SMALL_F:
        return this.#word("false", false);
      case SMALL_N:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#open();
    if (this.#skipWhiteSpace() !== OBJECT_END) {
      do {
        if (this.#skipWhiteSpace() !== QUOTE) throw invalid();
        const key = this.#string();
        if (Object.hasOwn(object, key)) throw new SyntaxError("names a key twice in one object");
        if (this.#skipWhiteSpace() !== COLON) throw invalid();
        this.#at += 1;
        define(object, key, this.#value());
      } while (this.#isComma());
    }
    this.#close(OBJECT_END);
    return object;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    this.#open();
    if (this.#skipWhiteSpace() !== ARRAY_END) {
      do array.push(this.#value());
      while (this.#isComma());
    }
    this.#close(ARRAY_END);
    return array;
  }

  #open(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#at += 1;
  }

  #close(end: number): void {
    if (this.#skipWhiteSpace() !== end) throw invalid();
    this.#at += 1;
    this.#depth -= 1;
  }

  #isComma(): boolean {
    if (this.#skipWhiteSpace() !== COMMA) return false;
    this.#at += 1;
    return true;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let isEscaped = false;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code === BACKSLASH) {
        isEscaped = true;
        at += 1;
      } else if (!(code >= SPACE)) throw invalid();
    }
    this.#at = at + 1;
    return isEscaped ? unescaped(text.slice(start, at + 1)) : text.slice(start + 1, at);
  }

  #number(): bigint | number {
    const text = this.#text;
    const start = this.#at;
    const isNegative = text.charCodeAt(start) === MINUS;
    const first = isNegative ? start + 1 : start;
    let at = first;
    let integer = 0;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at)) {
      integer = integer * 10 + code - ZERO;
    }
    const digits = at - first;
    if (digits === 0 || (digits > 1 && text.charCodeAt(first) === ZERO)) throw invalid();
    this.#at = at;
    if (!this.#skipFractionAndExponent() && digits <= EXACT_DIGITS) return BigInt(isNegative ? -integer : integer);
    return numberOf(text.slice(start, this.#at));
  }

  /** Returns whether there was any. */
  #skipFractionAndExponent(): boolean {
    const start = this.#at;
    if (this.#code() === POINT) {
      this.#at += 1;
      this.#skipDigits();
    }
    if (this.#code() === SMALL_E || this.#code() === LARGE_E) {
      this.#at += 1;
      if (this.#code() === PLUS || this.#code() === MINUS) this.#at += 1;
      this.#skipDigits();
    }
    return this.#at > start;
  }

  #skipDigits(): void {
    const start = this.#at;
    for (let code = this.#code(); code >= ZERO && code <= NINE; code = this.#code()) this.#at += 1;
    if (this.#at === start) throw invalid();
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw invalid();
    this.#at += word.length;
    return value;
  }

  /** Returns the code of what follows; NaN at the end. */
  #skipWhiteSpace(): number {
    let code = this.#code();
    while (code === SPACE || code === NEWLINE || code === RETURN || code === TAB) {
      this.#at += 1;
      code = this.#code();
    }
    return code;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

/** What a string literal with escapes stands for. @throws SyntaxError */
function unescaped(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    throw invalid();
  }
}

/** An assignment to `__proto__` would set the prototype. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function invalid(): SyntaxError {
  return new SyntaxError("is not valid JSON");
}
