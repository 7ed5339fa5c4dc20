import type { Word } from "./shell.ts";

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
