import { describe, expect, test } from "bun:test";
import { int64Of, plainInt64 } from "../../../src/domain/int64.ts";
import { parseJson } from "../../../src/domain/json/parse.ts";

const parse = (text: string) => parseJson(new TextEncoder().encode(text));

describe("integers at the edges are exact:", () => {
  const edges = [10n ** 14n, 10n ** 15n, 2n ** 53n, 10n ** 16n, 10n ** 17n, 10n ** 18n, 2n ** 63n - 4n];
  const near = edges.flatMap((edge) => [-3n, -2n, -1n, 0n, 1n, 2n, 3n].map((offset) => edge + offset));

  test.each(near.map(String))("%s, positive and negative", (digits) => {
    expect(parse(digits)).toBe(BigInt(digits));
    expect(parse(`[-${digits}]`)).toEqual([-BigInt(digits)]);
    expect(int64Of(digits)).toBe(BigInt(digits));
    expect(plainInt64(digits)).toBe(BigInt(digits));
  });

  test("the least int64 is one, and what is beyond int64 is not", () => {
    expect(int64Of("-9223372036854775808")).toBe(-(2n ** 63n));
    expect(int64Of("-9223372036854775809")).toBeUndefined();
    expect(int64Of("9223372036854775808")).toBeUndefined();
    expect(plainInt64("9223372036854775808")).toBeUndefined();
    expect(plainInt64("-1")).toBeUndefined();
    expect(plainInt64("00")).toBeUndefined();
  });
});

describe("a text with", () => {
  test.each(Array.from({ length: 32 }, (_, code) => code))(
    "the control character %i in a string is refused",
    (code) => {
      expect(() => parse(`"${String.fromCharCode(code)}"`)).toThrow("is not valid JSON");
      expect(() => parse(`{"${String.fromCharCode(code)}":1}`)).toThrow("is not valid JSON");
    },
  );

  test("the characters after the control characters in a string is accepted", () => {
    for (const text of [" ", "!", "\u007f", "\u0080"]) expect(parse(JSON.stringify(text))).toBe(text);
  });

  test("32 levels is accepted, and one with 33 refused", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(() => parse(nested(32))).not.toThrow();
    expect(() => parse(nested(33))).toThrow("is nested deeper than 32 levels");
  });
});
