declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text (ECMAScript proposal, in both runtimes). */
    rawJSON(text: string): unknown;
  }
}

/** Something that JSON.stringify writes as exactly this integer. */
export function exactInteger(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** The JSON text of a value, with bigints as plain digits. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? exactInteger(item) : item), indent);
}
